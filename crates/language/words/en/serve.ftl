### The server: lists, forms and refusals around the pages of runs.

## Ways

serve-ways = Pages
serve-runs = Runs
serve-machines = Machines
serve-trend = Trend
serve-live = Live
serve-to-runs = To the list of runs
serve-sign-in = Sign in
serve-sign-out = Sign out

## The list

serve-search = Search
serve-study = Study
serve-machine = Machine
serve-tag = Tag
serve-state = State
serve-since = Since
serve-until = Until
serve-baselines = Baselines only
serve-all = all
serve-show = Show
serve-clear = Show all
serve-none = No runs are kept yet. `headroom run` makes one.
serve-none-found = No kept run is like that.
serve-compare = Compare what is ticked
serve-trend-of-these = Trend of these runs
serve-tick = Compare
serve-tick-run = Compare { $run }, { $time }
serve-column-run = Run
serve-column-cases = Cases
serve-column-trials = Trials
serve-column-said = Tags and note
serve-column-started = Started (UTC)
serve-column-latest = Latest run
serve-column-parts = Parts
serve-column-progress = Progress
serve-left = { $time } left
serve-baseline = baseline since { $day }
serve-pages = Parts of the list
serve-newer = Newer
serve-older = Older
serve-part = { $first } to { $last } of { $all }
serve-state-complete = complete
serve-state-budget = out of budget
serve-state-interrupted = interrupted
serve-state-running = running
serve-state-killed = unfinished

## A run

serve-run-is-live = This run is still being measured.
serve-compare-by = Compare its cases by { $name }
serve-trend-of-study = Trend of this study
serve-file-page = Page as a file
serve-file-json = JSON
serve-file-csv = CSV
serve-file-md = Markdown
serve-remove = Remove
serve-remove-title = Remove this run?
serve-remove-about = It cannot be brought back. A page or a file that was saved of it stays.
serve-keep = Keep it
serve-stop = Stop
serve-stop-title = Stop this run?
serve-stop-about = It ends as by Ctrl-C: what it changed is put back, and what was measured is kept.
serve-go-on = Let it go on

## Comparison, trend, machines, live

serve-compare-one = One run alone: its cases can be compared by
serve-margin = Margin in percent
serve-all-metrics = Judge all metrics
serve-swap = Swap
serve-trend-about = How figures of the same work changed over the kept runs. Choose runs of one study or one machine.
serve-trend-older = The newest { $count } runs are looked at. Until a day: earlier ones.
serve-metric = Metric
serve-picture = Picture and parts
serve-as-in-run = As in the run of
serve-runs-of-machine = Runs of this machine
serve-over-time = Any case and trial over time
serve-over-time-runs = Over time, over each other
serve-over-time-case = Case
serve-over-time-trial = Trial
serve-over-time-quantity = Quantity
serve-live-none = Nothing is being measured into this store.
serve-live-reload = Without script this page does not change by itself: load it again.
serve-live-trial = Trial { $number }: { $case }
serve-live-latency = Latency in each part of the trial until now
serve-live-operations = { $rate } operations
serve-live-p50 = half within { $latency }
serve-live-p99 = 99 % within { $latency }
serve-live-errors = { $count } failed
serve-live-soon = Figures of this trial come in a moment; where nobody looked when it began, with the next one: a run that nobody looks at takes no time for them.

## Charts, by the script

serve-chart-help = Arrow keys move the cursor, + and - zoom, Shift with arrow keys pans, 0 shows all. Drag across the chart to zoom.
serve-chart-all = Show all
serve-chart-in = Zoom in
serve-chart-out = Zoom out
serve-chart-tracks = Shown lines
serve-chart-fails = The chart could not be loaded.
serve-chart-news = More was measured: load the page again.

## Signing in

serve-role-nobody = You have not signed in.
serve-role-reader = You may see everything here. To stop or remove runs, sign in with the write token.
serve-role-writer = You may see everything here, and stop and remove runs.
serve-token = Token
serve-token-help = `headroom serve` showed it when it was started.

## Refusals

serve-not-found = There is no such page
    .help = The run may have been removed, or the address is not whole.
serve-not-compared = These runs cannot be compared
    .help = They are of different work.
serve-foreign = This came from another site
    .help = Forms of this server work only from its own pages, and for as long as you are signed in. Go back, load the page again, and repeat what you did.
serve-misdirected = This server has another name
    .help = It answers to localhost, to addresses, and to names that were given with --name when it was started.
serve-unknown = Sign in
    .help = This server shows its runs to those who have its token.
serve-waits = Too many wrong tokens
    .help = Wait for a minute.
serve-forbidden = This takes the write token
    .help = `headroom serve` showed it when it was started. Sign in with it first.
serve-still-running = This run is still being measured
    .help = Stop it first.
serve-method = This page is not asked for so
    .help = Pages are read with GET; forms of this server are sent with POST.
serve-too-long = The request is too long
    .help = Ask for less at a time.
serve-busy = The server is busy
    .help = Try again in a few seconds.
serve-store-fails = The store cannot be read
    .help = Whoever started the server was told why.
serve-fails = This page could not be made
    .help = Try again; if it fails again, `headroom report` may say why.
serve-no-form = This is no form
    .help = Forms of this server are sent as application/x-www-form-urlencoded.
serve-compare-two = Tick at least two runs
    .help = A run whose cases differ in nothing can only be compared with another run.
serve-compare-fewer = Tick fewer runs
    .help = Up to eight runs stand beside each other.
serve-no-metric = There is no such metric
    .help = `headroom workloads NAME` lists the metrics of a workload.
serve-no-samples = Nothing was sampled here
    .help = This run, case or trial has no figures over time.
serve-not-running = Nobody is measuring this run
    .help = It has ended, or the process that measured it is gone.
