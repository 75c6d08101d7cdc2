"""What every kernel uses: lanes of doubles, the energy ledger, sleep, decimation."""
