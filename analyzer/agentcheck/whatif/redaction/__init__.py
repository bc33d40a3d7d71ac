"""What a redactor would take out of recorded runs, and a copy of them in which it is done."""
