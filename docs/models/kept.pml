/* Models a port's kept transaction: threads commit it and the loop takes it. See
   docs/proofs.md, "No lost commit". scripts/model checks the model and these mutations,
   which must fail:
     CLEAR_LATE   the loop clears the mark after the action
     SET_LATE     a sender sets the mark after it has released the lock
     SET_CLOSED   a sender sets the mark although the inbox is closed
     BY_LOAD      a sender only loads the mark, so that its earlier write may become visible later */
#define THREADS 2
#define COMMITS 2

bool locked, closed;                      /* of the inbox word */
bool mark, pending;
byte items, batch;                        /* in the inbox, and taken */
byte value[THREADS], accepted[THREADS], seen[THREADS];
byte ended;

inline perform() {
  if
  :: pending -> pending = false; d_step { seen[0] = value[0]; seen[1] = value[1] }
  :: else
  fi
}

inline take() {
  atomic { !locked -> locked = true };
  assert(items + batch <= 1);
  d_step { batch = batch + items; items = 0; locked = false };
  do
  :: batch > 0 ->
#ifdef CLEAR_LATE
     d_step { batch--; pending = true };
     perform();
     mark = false
#else
     mark = false;
     d_step { batch--; pending = true }
#endif
  :: else -> break
  od
}

proctype Sender(byte me) {
  byte i; bool found;
  for (i : 1 .. COMMITS) {
#ifdef BY_LOAD
    if
    :: mark -> d_step { value[me] = i; accepted[me] = i }; goto next
    :: else -> value[me] = i
    fi;
#else
    value[me] = i;
    atomic { if :: mark -> accepted[me] = i; goto next :: else fi };
#endif
    atomic { !locked -> locked = true };
    atomic { found = mark; if :: found -> accepted[me] = i :: else fi };
    if
    :: found -> locked = false
    :: !found && closed ->
#ifdef SET_CLOSED
       mark = true;
#endif
       locked = false
    :: else ->
#ifndef SET_LATE
       mark = true;
#endif
       d_step { items++; accepted[me] = i };
       locked = false;
#ifdef SET_LATE
       mark = true;
#endif
    fi;
next:
    skip
  };
  ended++
}

proctype Loop() {
  byte ticks;
  do
  :: ticks < 3 -> ticks++; take(); perform()
  :: ended == THREADS -> break
  :: ticks > 0 -> break                   /* closes while others commit */
  od;
  atomic { !locked -> locked = true };
  d_step { closed = true; locked = false };
  take();
  perform()
}

init {
  atomic { run Loop(); run Sender(0); run Sender(1) };
  (_nr_pr == 1);
  assert(seen[0] >= accepted[0] && seen[1] >= accepted[1]);
  assert(items == 0 && batch == 0)
}
