"""What workers do in the tests of `pysitar reproduce`: a figure that fails, and one that hangs
before its files are in their places."""
import time

from pysitar.papers import make_figure


def poison(wanted, job):
    if job.name.endswith("fig3"):
        raise ValueError("no <b>way</b>")
    make_figure.make(wanted, job)


def stuck(wanted, job):
    write = make_figure.Path.write_text

    def late(path, text, **options):
        write(path, text, **options)
        time.sleep(300.0)

    make_figure.Path.write_text = late
    make_figure.make(wanted, job)
