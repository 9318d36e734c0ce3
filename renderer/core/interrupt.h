#pragma once

namespace mote {

/// The user asked to stop. Not an Error: nothing is wrong. `main` catches it and ends with 130.
struct Interrupted {};

/// From here on SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal is closed) set a flag, so that
/// work can stop in good order. A second SIGINT or SIGTERM ends the program at once. SIGHUP stays
/// ignored where it was, as under nohup.
void catch_interrupts();

/// Whether the flag is set. Long loops poll it.
bool interrupted();

/// Throws Interrupted where the flag is set.
void throw_if_interrupted();

}  // namespace mote
