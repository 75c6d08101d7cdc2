"""Shared by all kernels: lanes of doubles, the energy ledger, sleep, decimation."""
