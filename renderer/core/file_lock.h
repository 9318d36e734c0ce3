#pragma once

#include <filesystem>

namespace mote {

/// Locks of open files that end with the process that took them, or with its descriptor: those of
/// open file descriptions (F_OFD_SETLK). Two descriptors of one process exclude each other too, and
/// NFS knows them, which flock() of a folder it does not.
enum class FileLock { taken, held_elsewhere, unsupported };

/// Locks the whole file without waiting. The descriptor must be open for writing.
FileLock lock_file(int descriptor);
/// Whether lock_file() could be had now; nothing is locked. Any descriptor will do.
FileLock probe_lock(int descriptor);
/// Whether the path still leads to the open file: a file may be removed between open and lock.
bool is_file_at(int descriptor, const std::filesystem::path& path);

}  // namespace mote
