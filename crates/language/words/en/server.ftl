# What loads ran against, and the kinds of statements that they sent.

servers-title = What loads ran against
servers-caption = Versions and settings as each said, which are the same in all of its trials; the round trip is that of a statement that asks for nothing, before each trial.
servers-told = as it said

fact-database-address = database
fact-database-version = version
fact-database-connection = connection
fact-database-round-trip = round trip
fact-value-database-round-trip = { QUANTITY($value, unit: "s") }
fact-database-round-trip-share = share of the latency that is round trips
fact-value-database-round-trip-share = { PERCENT($value) }

figure-kinds = { $metric } by kind of statement or request
figure-kinds-note = Slowest first. An operation may have several of each kind, so that these do not add up to its latency.
statement-begin = BEGIN
statement-commit = COMMIT
