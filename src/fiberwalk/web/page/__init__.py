"""What a browser shows, without a build step: plain HTML, CSS, and modules of JavaScript.

index.html, page.css   what is there before anything is asked
page.js         starts, listens to the form and to the address, shows what comes back
choosing.js     the form: dims in rows and columns, filters, figures
request.js      what is asked for, between the form and addresses
service.js      asks the service, and says in a sentence what went wrong
entering.js     signing in
answer.js       a table with its notes and downloads, or a refusal
figures.js      a dataset as rows and columns; sorting; whether totals add up
table.js        the table and the heat map
bars.js         the bar chart
auditing.js     risk, true figures, log and ranking
elements.js     elements made of text, never of markup; numbers as people read them
"""
