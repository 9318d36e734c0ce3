#pragma once

#include <filesystem>

namespace mote {

/// Result of locking an open file. The locks belong to open file descriptions (F_OFD_SETLK): they
/// end with the process or with the descriptor. Two descriptors of one process exclude each other
/// too. NFS supports them, unlike flock() of a folder.
enum class FileLock { taken, held_elsewhere, unsupported };

/// Locks the whole file without waiting. The descriptor must be open for writing.
FileLock lock_file(int descriptor);
/// Whether lock_file() would succeed now; nothing is locked. Any descriptor will do.
FileLock probe_lock(int descriptor);
/// Whether the path still leads to the open file. A file may be removed between open and lock.
bool is_file_at(int descriptor, const std::filesystem::path& path);

}  // namespace mote
