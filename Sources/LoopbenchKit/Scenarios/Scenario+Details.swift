/// What each scenario times, as `loopbench help SCENARIO` shows it.
enum ScenarioDetails {
  static let commit = """
    A tick of the loop performs what was committed before, each target once, however often it was
    committed. `first` times the whole way; `duplicate` only the commits that find their target
    waiting already.

      loop   commit 1 … commit 1000 │ tick: perform 1 … perform 1000
      first  ├──────────────────────┴──────────────────────────────┤  divided by 1000

      loop   1000 wait │ commit 1 … commit 1000, ten times over │ tick
      duplicate        ├────────────────────────────────────────┤     divided by 10000

    The loop's thread does all of it: no other thread, no wake. Peers `set` and `dirtybit` do not
    run a loop; they are what the book-keeping alone costs.
    """

  static let post = """
    Hands the loop something to run. `.across` posts from a thread on another CPU to a loop that
    sleeps; `.self` posts from the loop's own thread, for the same tick. A sample is a whole burst,
    so it is a throughput as ns per item, not the latency of one item: for that, see `wake`.

      producer   post 1  post 2  …  post n
      loop       (asleep)     run 1  run 2  …  run n
                 ├────────────────────────────────┤  divided by n
    """

  static let wake = """
    A loop sleeps in its poll; another thread hands it one thing. The clock starts before the call
    that hands it over, so the cost of that call counts.

      producer   before ─ send ─ (asleep) ────────────── runs again
      loop       (asleep in poll) ──── callback ─ answer
      across         ├─────────────────────┤
      roundtrip      ├───────────────────────────────────────┤

    `across` has the two threads on two CPUs. `same` has them on one, where the sender can not run
    while the callback does, so it is timed until the sender runs again. There the sender sends only
    after it was answered: nothing piles up.

      schedule   due ── lag ── send ─────────┐
      loop       (asleep, or still busy) ─── callback
      paced      ├───────────────────────────┤
      .service                 ├─────────────┤  or from the callback before, if that was later

    `paced` is an open loop: sends are due on a schedule (--rate, --arrival) that waits for nobody.
    Its time counts from when a send was due, so a stall shows in all that were due meanwhile.
    `.lag` is how late the sender itself was; a send that was late by more than an interval counts
    as missed.
    """

  static let drain = """
    1000 objects wait in a queue, put there by the loop's own thread. The loop hands them to a
    function, 16 a tick (`batched`) or all in one tick (`whole`).

      loop   queue 1 … queue 1000 │ tick: 1 … 16 │ tick: 17 … 32 │ …  1000
                                    ├──────────────────────────────────────┤  divided by 1000

    `batched` lets the loop look after its other work between two ticks; the difference to `whole`
    is what that costs.
    """

  static let timer = """
    A timer is due every 2 ms, on a schedule that is fixed beforehand and waits for nobody. What is
    timed is how late its callback is: from the due time, not from when the loop noticed.

      schedule   due 1 ───────────── due 2 ───────────── due 3
      callback      └ fires 1             └ fires 2
      lateness   ├──┤                ├────┤

    A fire before its time is counted, and reported as a warning: there must be none. libuv's own
    timers count in whole ms, which its figures show.
    """

  static let idle = """
    A foreign idle handle keeps the loop from sleeping, so that ticks follow each other with nothing
    in them. What is timed is how long 1000 of them take.

      loop   tick 1  tick 2  tick 3  …  tick 1000
             ├──────────────────────────────────┤  divided by 1000

    The difference between `lt` and `uv` is what an EventLoop adds to each tick of a libuv loop.
    """

  static let pool = """
    One thread hands functions to a pool that runs at most 4 at once, and the last to end stops the
    clock: a throughput as ns per operation, not the latency of one. For that, see `priority`.

      adds      add 1  add 2  …  add n
      workers      run 1  run 2  …  run n
      empty     ├───────────────────────┤  divided by n

      workers   (each kept by an operation that waits)
      adds      add 1 … add n │ cancel 1 … cancel n
      cancel                  ├───────────────────┤  divided by n

      loop          open, add, commit 1 … n │ completion 1 … completion n
      workers           run 1  run 2  …  run n
      transactions  ├─────────────────────────────────────────────────┤  divided by n

    No thread is placed on a CPU: how a pool spreads is part of what it does. `dispatch` and `task`
    have the width of their system, as many threads as CPUs. Every operation of `empty` counts
    down one number, which all peers share the cost of. Where peers have no loop, a completion goes
    to a serial queue. Wakes of the loop are counted over all bursts, warm-up included.
    """

  static let priority = """
    Operations of 20 us each keep 4 workers busy, and one more is added that is more urgent than all
    of them (`latency`) or less (`starvation`). What is timed is from before the add to its first
    instruction.

      workers      20 us │ 20 us │ 20 us │ 20 us …  10000 at any time: each adds the next
      adds              add ┐
      latency           ├───┴────┤ starts

      workers      urgent │ urgent │ urgent │ …  64 at any time: each adds the next
      adds              add ┐
      starvation        ├───┴───────────────┤ starts, or 20 ms: it is given up

    Urgent ones come one at a time, 200 to 400 us apart. How many lower ones started between the end
    of the add and the start of the urgent one is counted beside, over all samples: inversions.
    No thread is placed, and whoever adds sleeps in between: to wake it takes a CPU from a worker.
    """

  static let hop = """
    A task calls an empty method of an actor 200 times, each time when the call before has returned.
    What is timed is the whole way there and back, divided by the number of calls.

      task     call 1 ┐          ┌ call 2 ┐          ┌ …
      actor           └ method 1 ┘        └ method 2 ┘
      call     ├─────────────────────────────────────…┤  divided by 200

    `lt` and `main` are called from Swift's threads: a call is a job that wakes the loop, and one
    that wakes the task's thread. A task that prefers the loop, `lt.preferred`, is on the actor's
    thread already. So is, in effect, the task that calls `actor`, a default actor that nobody else
    wants: Swift runs it in place. `main` is measured on the program's first thread, where a
    MainQueueBridge serves the main queue. No thread is placed: Swift's are not loopbench's to place.
    """

  static let replay = """
    A load that was recorded: who committed what, when, and what performing it cost. Each producer
    has a thread, and commits when the recording did, whoever keeps up.

      schedule   due ── lag ── commit ───────────────┐
      loop       (asleep, or busy) ── cost ──── performed
      performed  ├───────────────────────────────────┤
      tick                         ├────────────────┤  until the loop is about to wait again

    `lt` performs one action for all commits of a target and selector that wait; `uv` and `dispatch`
    perform each. How many were performed, in how many ticks, stands below the table.
    """
}
