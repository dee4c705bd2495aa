# What is said of results of other tools.

check-title = What these results say
check-results = Results
check-results-caption = As printed, and in one unit system: decimal multiples, bytes, seconds
column-check-figure = figure
column-check-printed = printed
column-check-value = is
column-check-line = line
check-lines =
    { $how ->
        [none] {""}
        [one] line { $first }
       *[several] lines { $first } to { $last }
    }
check-findings = What is wrong
check-prose-only = No output of a known tool was found. What follows is about the figures that the text has itself, held against one another.
check-nothing = Nothing was found that contradicts these figures.
check-more-findings = … and { $count } more like these, with other figures.
check-more-figures = { $count } more figures are in the run document: `headroom check --json=full`, or `-o result.json`.
check-suggestions = What should have been run
check-their-command =
    with { $tool }{ $times ->
        [1] :
       *[other] , { $times } times:
    }
check-own-command = with Headroom:
check-unread = What was not understood
check-unread-count =
    { $count ->
        [1] These lines belong to no result:
       *[other] Lines at { $count } places belong to no result:
    }
check-unread-cause =
    { $cause ->
        [not-understood] they begin like the output of { $tool }, but do not go on like it
        [cut-short] they are the output of { $tool }, but end before its figures
        [too-long] they come after the part of one output that is read
        [too-many] the text has too many results: those before these lines were read, these were not
        [other] a later version of Headroom knows the reason
       *[no-tool] they are not the output of a known tool
    }
