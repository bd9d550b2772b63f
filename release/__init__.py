"""What is published: labelled tables, linear facts, evidence, margins, hierarchies and files."""
