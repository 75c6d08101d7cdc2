"""The clock of the benchmarks: CPU time of the thread, which a busy machine moves by a few percent
where the clock on the wall moves fivefold. Benchmarks that render in several threads have
`@pytest.mark.benchmark(timer=time.process_time)`."""


def pytest_configure(config):
    """Choose the clock, unless the command line chooses one."""
    if not any(word.startswith("--benchmark-timer") for word in config.invocation_params.args):
        config.option.benchmark_timer = "time.thread_time"
