"""`python -m agentcheck`."""

from agentcheck.cli import main

if __name__ == "__main__":
    main()
