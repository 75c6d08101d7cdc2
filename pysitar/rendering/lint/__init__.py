"""What is physically doubtful in a score, found before a sample is computed."""
