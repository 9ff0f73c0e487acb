import Understudy

/// An option of `serve`: how it is typed, what it sets, and what stands there without it.
struct Setting: Sendable {
  typealias Path<Value> = any WritableKeyPath<Application.Options, Value> & Sendable

  let option: Option
  let apply: @Sendable (Arguments, inout Application.Options) throws(UsageError) -> Void

  private init(
    _ option: Option,
    apply: @escaping @Sendable (Arguments, inout Application.Options) throws(UsageError) -> Void
  ) {
    self.option = option
    self.apply = apply
  }

  /// A whole number.
  static func number<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ unit: String, in range: ClosedRange<Int>, _ help: String, _ path: Path<Value>
  ) -> Setting {
    let standard = "\(Application.Options()[keyPath: path])"
    return Setting(Option(name, unit, help, standard: standard)) { arguments, options throws(UsageError) in
      guard let number = try arguments.number(name, in: range) else { return }
      options[keyPath: path] = Value(truncatingIfNeeded: number)
    }
  }

  /// A text, and the function that makes of it what is set.
  ///
  /// - Parameter standard: what stands without it, in words.
  static func text<Value>(
    _ name: String, _ placeholder: String, _ help: String, standard: String, _ path: Path<Value>,
    _ read: @escaping @Sendable (String, Arguments) throws(UsageError) -> Value
  ) -> Setting {
    Setting(Option(name, placeholder, help, standard: standard)) { arguments, options throws(UsageError) in
      guard let text = arguments[name] else { return }
      options[keyPath: path] = try read(text, arguments)
    }
  }

  /// A list, whose option may be there several times.
  ///
  /// - Parameters:
  ///   - expected: what each part has to be, in words.
  ///   - variable: the environment variable, where it isn't the option's name.
  static func list<Element>(
    _ name: String, _ placeholder: String, _ help: String, variable: String? = nil, expected: String,
    _ path: Path<[Element]>, _ read: @escaping @Sendable (String) -> Element?
  ) -> Setting {
    Setting(
      Option(name, placeholder, help, standard: "none", isList: true, variable: variable)
    ) { arguments, options throws(UsageError) in
      guard let list = try arguments.list(name, expected: expected, read) else { return }
      options[keyPath: path] = list
    }
  }

  static func toggle(
    _ name: String, _ help: String, _ apply: @escaping @Sendable (inout Application.Options) -> Void
  ) -> Setting {
    Setting(Option(name, nil, help, standard: nil)) { arguments, options throws(UsageError) in
      if try arguments.isOn(name) { apply(&options) }
    }
  }
}
