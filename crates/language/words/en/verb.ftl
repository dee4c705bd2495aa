# What agrees in English with the number of what a sentence is about: `{ RESOURCE($resource) } { verb-is } full`. `$several`
# comes with `$resource`, from whoever hands that over. Other languages have one form, and none of these keys.

verb-is =
    { $several ->
        [yes] are
       *[no] is
    }
verb-was =
    { $several ->
        [yes] were
       *[no] was
    }
verb-has =
    { $several ->
        [yes] have
       *[no] has
    }
# Behind a verb: take{ verb-s }.
verb-s =
    { $several ->
        [yes] {""}
       *[no] s
    }
# Behind a noun: file{ plural-s }.
plural-s =
    { $several ->
        [yes] s
       *[no] {""}
    }
pronoun-it =
    { $several ->
        [yes] they
       *[no] it
    }
pronoun-them =
    { $several ->
        [yes] them
       *[no] it
    }
pronoun-its =
    { $several ->
        [yes] their
       *[no] its
    }
