#pragma once

namespace mote {

/// Number of files that this thread has opened so far by InputFile and OutputFile. It stays 0 on a
/// thread that must not wait for disks.
int files_opened_here();
/// Counts one more opened file.
void count_opened_file();

}  // namespace mote
