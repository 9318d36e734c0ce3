#pragma once

namespace mote {

/// Files that this thread has opened by InputFile and OutputFile so far: a thread that must not
/// wait for disks has none.
int files_opened_here();
/// Another one is being opened.
void count_opened_file();

}  // namespace mote
