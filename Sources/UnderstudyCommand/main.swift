import Understudy

keepStandardDescriptors()
exit(with: Command.run(Array(CommandLine.arguments.dropFirst())))
