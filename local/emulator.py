"""Starts MiniStack with two repairs to the processes that run functions, which the logs and the retry rules rely on.

1. A log is whole when its invocation answers. MiniStack reads a worker's log in a thread, and after the answer waits
   at most 50 ms for the first line and 5 ms for each further one; on a busy machine the thread comes later, and what it
   reads then is shown with the worker's next invocation or, after its last, never. A worker writes its log before its
   answer and to a pipe without a buffer of its own, so all of it is in the pipe by then: here it is read out of it.
2. A function whose process ended is reported as Lambda does, by `Runtime.ExitError`, not as an error of its handler.

Both belong to the pinned release; another one whose parts are elsewhere is refused at the start.
"""

import codecs
import os
import select
import threading

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

# What MiniStack says of a process that is gone while it works, and of one that was gone when it was asked.
EXITED = ("Worker process died", "[Errno 32] Broken pipe")


# Bytes; what was written before an answer and is not read yet is in the pipe, so it is no more than this.
LARGEST_PIPE = 1 << 20


class LogPipe:
    """A worker's log: whole lines, taken from its pipe by whoever comes first, the thread or the end of an invocation."""

    def __init__(self, process, lines):
        self.process = process
        self._lines = lines
        self._pipe = process.stderr  # Kept: its descriptor stays open while this reads from it.
        self._descriptor = process.stderr.fileno()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._ended = False
        self._lock = threading.Lock()

    def follow(self):
        """Takes what comes until the pipe is closed."""
        while not self._ended:
            self._wait(None)
            self.take()

    def take(self):
        """Takes all that is in the pipe now; never waits for more, nor follows who writes without end."""
        left = LARGEST_PIPE
        with self._lock:
            while left > 0 and not self._ended and self._wait(0):
                data = os.read(self._descriptor, 65536)
                left -= len(data)
                self._ended = data == b""
                *whole, self._rest = (self._rest + self._decoder.decode(data, self._ended)).split("\n")
                if self._ended and self._rest:
                    whole.append(self._rest)
                for line in whole:
                    self._lines.put(line)

    def _wait(self, milliseconds):
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN | select.POLLHUP)
        return bool(poll.poll(milliseconds))


making = threading.Lock()


def log_pipe(worker):
    """The pipe of the process that the worker runs now, or of the one that it ran last."""
    with making:
        process = worker._proc
        pipe = getattr(worker, "log_pipe", None)
        if process is not None and process.stderr is not None and (pipe is None or pipe.process is not process):
            pipe = worker.log_pipe = LogPipe(process, worker._stderr_queue)
        return pipe


def spawn(worker, original=lambda_runtime.Worker._spawn):
    original(worker)
    log_pipe(worker)


def read_log(worker):
    pipe = log_pipe(worker)
    if pipe is not None:
        pipe.follow()


def take_log(worker, original=lambda_runtime.Worker._drain_stderr):
    pipe = log_pipe(worker)
    if pipe is not None:
        pipe.take()
    return original(worker)


def take_log_at_end(worker, original=lambda_runtime.Worker._drain_stderr_bounded, **waits):
    # A custom runtime logs to a pipe of another kind, for which MiniStack waits.
    return original(worker, **waits) if log_pipe(worker) is None else take_log(worker)


def execute(func, event, request_id, original=lambda_svc._execute_function_warm):
    result = original(func, event, request_id)
    body = result.get("body")
    if result.get("error") and isinstance(body, dict) and body.get("errorMessage") in EXITED:
        body["errorType"] = "Runtime.ExitError"
        body["errorMessage"] = f"RequestId: {request_id} Error: Runtime exited with error: signal: killed"
    return result


def repair():
    for owner, name, repaired in (
        (lambda_runtime.Worker, "_spawn", spawn),
        (lambda_runtime.Worker, "_read_stderr", read_log),
        (lambda_runtime.Worker, "_drain_stderr", take_log),
        (lambda_runtime.Worker, "_drain_stderr_bounded", take_log_at_end),
        (lambda_svc, "_execute_function_warm", execute),
    ):
        getattr(owner, name)  # Raises where a release has no such part.
        setattr(owner, name, repaired)


if __name__ == "__main__":
    repair()
    from ministack.app import main

    main()
