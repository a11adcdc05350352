"""Overflow: which hot entries may leave under which pressure, and what stays in their place.

Planning is pure. `facts` says what must be known of a file, `signals` what S1 to S6 and the TTL see in it,
`ladder` which steps its pressure opens, `leaving` and `keeping` how an entry goes or why it stays, `desk` keeps
the size while `planning` puts it all together. The rest makes and compares texts: `stubs` (pointers), `splitting`
(long USER.md entries), `anchor` (the digest of preferences), `likeness` (pairs worth comparing), `coverage`
(does a text say all of another), `recheck` (old finished records), `warmth` (rules of one topic only).
"""
