"""Tables on request over HTTP: for people in a browser, for programs, and for the agency's auditors.

settings     what an office sets: title, tokens, limits
service      the server of tables, its settings, and who is asking
coming_in    ... as routes depend on it
problems     refusals and errors as programs read them (RFC 9457), without a trace of the inside
asking       a request for a table, from the parts of an address
formats      the public view of an answer as JSON-stat, CSV, Excel, Parquet
instead      what can be asked in place of what was refused
tables       the JSON interface of readers
pxweb        PxWebApi 2, for clients that statistical offices have already; `pxweb_selection` reads what they select
auditing     the interface of auditors: the log, its ranking, risk and utility of an answer
watching     health, metrics, and a line for each request
app          all of it as one application
connections  answers that leave at once
opening      ... of a server of tables
page/        what a browser shows; no build step, nothing from elsewhere
"""
