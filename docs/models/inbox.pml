/* Models the inbox word: posts, wake requests, sleeping and closing. See docs/proofs.md,
   "No lost wake-up". scripts/model checks the model and these mutations, which must fail:
     CLEAR_LATE      a post reads `asleep` after it has released the lock
     NO_LOOK         the loop does not check for requests after it has set `asleep`
     NO_COUNT        a sender is not counted before it releases the lock
     CLAIM_LOCKED    a signal handler claims `asleep` while another thread holds the lock
     LEAVE_LOCKED    a signal handler leaves the wake to a thread that holds the lock */
#define POSTS 2

bool locked, asleep, filled, closed;      /* the word */
bool request;                             /* requested and not yet claimed */
byte senders, inbox, posted, refused, ran, asked, taken;
bool descriptor, open = true, done;
byte claims, sleeps;

#define nothing_left (posted + refused == 2 * POSTS && asked == 1 && senders == 0 && \
                      inbox == 0 && !request)

inline write_descriptor() {
  assert(open);
  descriptor = true;
  senders--
}

proctype Producer() {
  byte i; bool found;
  for (i : 1 .. POSTS) {
    atomic { !locked -> locked = true; found = asleep };
    if
    :: closed -> locked = false; refused++
    :: else ->
       inbox++; posted++;
#ifdef CLEAR_LATE
       d_step { filled = true; locked = false };
       found = false;
       if
       :: asleep -> d_step { senders++; asleep = false; claims++ }; found = true
       :: else
       fi;
#else
       if
       :: found ->
#ifdef NO_COUNT
          d_step { filled = true; asleep = false; locked = false; claims++ };
          senders++;
#else
          senders++;
          d_step { filled = true; asleep = false; locked = false; claims++ };
#endif
       :: else -> d_step { filled = true; locked = false }
       fi;
#endif
       if :: found -> write_descriptor() :: else fi
    fi
  }
}

/* Takes the lock and adds nothing, as a refused post, a commit that joins another one, or
   the loop's thread while a host runs it. */
proctype Holder() {
  bool seen;
  atomic { !locked -> locked = true; seen = asleep };
  d_step { asleep = seen; locked = false }
}

/* A signal handler: it takes no lock. */
proctype Asker() {
  senders++;
  request = true; asked++;
  atomic {
    if
#ifdef CLAIM_LOCKED
    :: asleep && !closed -> asleep = false; claims++; goto send
#else
    :: asleep && !locked && !closed -> asleep = false; claims++; goto send
#endif
#ifndef LEAVE_LOCKED
    :: asleep && locked && !closed -> goto send
#endif
    :: else -> goto over
    fi
  };
send:
  write_descriptor();
  goto end;
over:
  senders--;
end:
  skip
}

inline take() {
  atomic { !locked -> locked = true };
  ran = ran + inbox; inbox = 0;
  d_step { filled = false; locked = false }
}

proctype Loop() {
  do
  :: /* beforeWaiting */
     if :: filled -> take() :: else fi;
     if
     :: atomic { !locked && !filled && !closed && !asleep -> asleep = true; sleeps++ };
#ifndef NO_LOOK
        if
        :: request ->
           atomic { !locked -> locked = true }; d_step { asleep = false; locked = false };
           request = false; taken = asked;
           goto again
        :: else
        fi;
#endif
        /* blocks until a thread writes, or, once, until its timer fires */
        if
        :: descriptor -> descriptor = false
        :: sleeps == 1 -> skip
        :: nothing_left -> break
        fi;
        /* afterWaiting */
        if
        :: asleep -> atomic { !locked -> locked = true }; d_step { asleep = false; locked = false }
        :: else
        fi;
        if :: request -> request = false; taken = asked :: else fi
     :: locked || filled ->
        if :: request -> request = false; taken = asked :: else fi
     fi;
again:
     skip
  :: nothing_left -> break
  :: sleeps > 0 && !done -> break           /* closes while others post */
  od;
  if :: asleep -> atomic { !locked -> locked = true }; d_step { asleep = false; locked = false } :: else fi;
  atomic { !locked -> locked = true };
  d_step { closed = true; asleep = false; locked = false };
  senders == 0;
  take();
  open = false;
  done = true
}

init {
  atomic { run Loop(); run Producer(); run Producer(); run Holder(); run Asker() };
  (_nr_pr == 1);
  assert(claims <= sleeps);
  assert(ran == posted && posted + refused == 2 * POSTS)
}
