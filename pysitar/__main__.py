"""`python -m pysitar`: the command line."""
import sys

from pysitar.app.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
