"""Workbooks of Excel: a crosstab as people know it, a sheet that explains it, and one of its hierarchies.

cell_texts.py      what a cell says: a figure, a mark of one that is withheld, a range
workbook.py        the sheets of a workbook as rows of texts, or one sentence that says why they cannot be read
crosstab_sheet.py  a sheet becomes the rows of a long file
excel_writing.py   public rows become a workbook
excel_file.py      the format
"""
