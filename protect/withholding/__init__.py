"""Primary and secondary cell suppression, table redesign, and the rules that call a cell sensitive."""
