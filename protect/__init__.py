"""The methods that turn a table into a release, one file each, and the rules that call a cell sensitive."""
