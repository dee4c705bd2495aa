# What became of the goals of a study.

goals-title = Goals
goals-question = Goals
goals-note = A goal is kept where the whole interval is on its good side, and not kept where all of it is on the other. If the interval reaches over the bound, more or longer trials may decide. A maximum counts as it was measured.
goal-kept = kept
goal-not-kept = not kept
goal-unknown = cannot tell
goal-doubt-interval = the interval reaches over the bound of the goal
goal-doubt-no-interval = too few or too short trials for an interval
goal-doubt-no-figure = no trial gave this figure
goal-doubt-untrusted = an error among the findings says that this figure is not to be trusted
goal-doubt-no-case = no case was held to it
goal-column = goal
goal-column-case = case
goal-column-measured = measured
goal-column-verdict = outcome
ending-aborted = A trial met the condition that ends the run, { $condition }: { $value }, { $case }. What was finished is here.
