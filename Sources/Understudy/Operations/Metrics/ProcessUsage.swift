import Files

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What this process has of the system, under the names that Prometheus' own libraries give it.
struct ProcessUsage {
  /// Seconds of processor time, of the program and of the system for it.
  let processorSeconds: Double
  /// Memory that is really there, and addresses, in bytes; nil where the system doesn't say.
  let memory: (resident: Int, virtual: Int)?
  let openDescriptors: Int?
  let mostDescriptors: Int?

  /// At this moment.
  init() {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #endif
    processorSeconds = [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
    memory = Self.memoryNow
    openDescriptors = Self.descriptorsNow
    var limit = rlimit()
    #if canImport(Darwin)
      let status = getrlimit(RLIMIT_NOFILE, &limit)
    #else
      let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #endif
    mostDescriptors = status == 0 ? Int(clamping: limit.rlim_cur) : nil
  }

  private static var memoryNow: (resident: Int, virtual: Int)? {
    #if canImport(Darwin)
      var info = proc_taskinfo()
      let size = Int32(MemoryLayout<proc_taskinfo>.size)
      guard proc_pidinfo(getpid(), PROC_PIDTASKINFO, 0, &info, size) == size else { return nil }
      return (Int(info.pti_resident_size), Int(info.pti_virtual_size))
    #else
      // proc(5): all of it, and what is resident, in pages.
      let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      guard let bytes = contents(of: descriptor, limit: 4096) else { return nil }
      let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
      guard numbers.count >= 2 else { return nil }
      let page = sysconf(Int32(_SC_PAGESIZE))
      return (numbers[1] * page, numbers[0] * page)
    #endif
  }

  private static var descriptorsNow: Int? {
    #if canImport(Darwin)
      let folder = "/dev/fd"
    #else
      let folder = "/proc/self/fd"
    #endif
    // Without the one that looks.
    return (try? names(in: folder)).map { $0.count - 1 }
  }
}
