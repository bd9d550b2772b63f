"""What an audit answers with: one row for each hidden cell, line or respondent, and the criteria behind it."""
