// swift-tools-version: 6.1

import PackageDescription

// Where script/fuzz asks for it, what the tests feed with kept inputs is a program that libFuzzer feeds:
// it has no main of its own, and its unsafe flags tell the compiler.
let isFuzzing = Context.environment["UNDERSTUDY_FUZZ_BUILD"] != nil
let fuzzDependencies: [Target.Dependency] = [
  "HTTP", "JSON", "SQLite", "TestSupport", "Threads", "Understudy", "UnderstudyTesting",
]
let fuzzing =
  isFuzzing
  ? Target.executableTarget(
    name: "fuzz", dependencies: fuzzDependencies, path: "Tests/Fuzz",
    exclude: ["corpus", "dictionaries", "CorpusTests.swift"],
    swiftSettings: [.unsafeFlags(["-parse-as-library"])])
  : Target.testTarget(
    name: "FuzzTests", dependencies: fuzzDependencies, path: "Tests/Fuzz",
    exclude: ["corpus", "dictionaries", "Entry.swift"])

// The commit that the program says it is of, as script/build and the image tell it.
let commit = (Context.environment["UNDERSTUDY_COMMIT"] ?? "").filter { $0.isHexDigit || $0 == "+" }

let package = Package(
  name: "understudy",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "understudy", targets: ["UnderstudyCommand"]),
    .library(name: "UnderstudyTesting", targets: ["UnderstudyTesting"]),
  ],
  targets: [
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
    .systemLibrary(
      name: "CGnuTLS", pkgConfig: "gnutls",
      providers: [.apt(["libgnutls28-dev"]), .brew(["gnutls"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-gnutls-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
    .target(name: "Embedded", cSettings: [.define("UNDERSTUDY_COMMIT", to: "\"\(commit)\"")]),
    .target(name: "Files"),
    .target(name: "Threads"),
    .target(name: "JSON"),
    .target(name: "HTTPClient", dependencies: ["CCurl"]),
    .target(name: "SQLite", dependencies: ["CSQLite", "Threads"]),
    .target(name: "Certificates", dependencies: ["CGnuTLS", "Files"]),
    .target(
      name: "HTTP",
      dependencies: ["Certificates", "CGnuTLS", "CMicroHTTPD", "CSodium", "Files", "JSON", "Threads"]),
    .target(
      name: "Understudy",
      dependencies: [
        "Certificates", "Files", "HTTP", "SQLite", "JSON", "Threads", "Embedded", "CQREncode", "CSodium",
        // macOS normalizes Unicode itself.
        .target(name: "CUTF8Proc", condition: .when(platforms: [.linux])),
      ]),
    .target(name: "UnderstudyTesting", dependencies: ["Understudy"]),
    .executableTarget(
      name: "UnderstudyCommand",
      dependencies: ["Certificates", "Files", "HTTP", "HTTPClient", "JSON", "Threads", "Understudy"]),

    // What the tests share: a client that sends bytes as they are, and the program as a process.
    .target(name: "TestSupport", dependencies: ["FaultVFS", "JSON", "Threads"], path: "Tests/TestSupport"),
    // A disk that fails when a test wants it to, below SQLite.
    .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
    // The apps' calls in Swift, and a program that makes them as an app does that nobody has changed.
    .target(name: "Apps", path: "Tests/Clients/Apps"),
    .executableTarget(name: "UnmodifiedApps", dependencies: ["Apps"], path: "Tests/Clients/UnmodifiedApps"),
    fuzzing,
    .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"]),
    .testTarget(name: "HTTPClientTests", dependencies: ["HTTPClient", "Understudy", "UnderstudyTesting"]),
    .testTarget(name: "FilesTests", dependencies: ["Files"]),
    .testTarget(name: "ThreadsTests", dependencies: ["Threads"]),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "CSQLite", "TestSupport", "Threads"]),
    .testTarget(
      name: "HTTPTests", dependencies: ["Certificates", "CGnuTLS", "HTTP", "JSON", "TestSupport"]),
    .testTarget(
      name: "UnderstudyTests",
      dependencies: [
        "Certificates", "Files", "JSON", "Understudy", "SQLite", "UnderstudyTesting", "TestSupport",
        "Threads",
      ]),
    .testTarget(name: "ContractTests", dependencies: ["Understudy", "UnderstudyTesting", "TestSupport"]),
    .testTarget(
      name: "CommandTests",
      dependencies: ["HTTPClient", "Understudy", "UnderstudyCommand", "SQLite", "TestSupport", "Threads"],
      // Made by releases, and read by a test as they are; preloaded into the program by a test.
      exclude: ["Databases", "KillPoint"]),
    .testTarget(
      name: "ClientTests",
      dependencies: [
        "Apps", "Certificates", "Understudy", "UnderstudyTesting", "UnmodifiedApps", "TestSupport", "Threads",
      ],
      path: "Tests/Clients",
      // What the tests run as programs, and what one of them is made of.
      exclude: ["Apps", "Java", "JavaScript", "Python", "Shell", "UnmodifiedApps"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c2x
)

// An image is built without the tests.
if Context.environment["UNDERSTUDY_IMAGE_BUILD"] != nil {
  package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
}
