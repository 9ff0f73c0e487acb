"""Instructions a request, as callgrind counts them: the same on a noisy machine."""
import http.client
import re
import subprocess

from reads import targets
from report import Row, grouped
from servers import CONNECTIONS, HOST, CannotMeasure, bare_command, printing_its_address, understudy

# Requests before counting starts, and in two loads whose difference is counted, so that what a load
# costs once falls out.
WARM, FEW, MANY = 40, 40, 240


class Counter:
    """A server under callgrind."""

    def __init__(self, server, folder):
        self.server = server
        self.folder = folder
        self.dumps = 0
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def send(self, path, times):
        for _ in range(times):
            self.connection.request("GET", path, headers={"Host": HOST})
            response = self.connection.getresponse()
            response.read()
            if response.status != 200:
                raise CannotMeasure(f"GET {path} was answered {response.status}")

    def counted(self):
        """The instructions since it was asked last."""
        subprocess.run(["callgrind_control", "--dump", str(self.server.process.pid)], capture_output=True, check=True)
        self.dumps += 1
        text = (self.folder / f"callgrind.out.{self.dumps}").read_text(errors="replace")
        return int(re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)[1])

    def instructions(self, path):
        self.send(path, WARM)
        self.counted()
        self.send(path, FEW)
        few = self.counted()
        self.send(path, MANY)
        return (self.counted() - few) / (MANY - FEW)


def under_callgrind(folder, command):
    """A server that counts what it executes."""
    folder.mkdir()
    return printing_its_address(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/callgrind.out", *command])


def instructions(bench):
    """Understudy's instructions a request, and those of libmicrohttpd alone with the same answer."""
    section = "Instructions a request, beside libmicrohttpd alone (its ÷ ours)"
    # valgrind 3.19 can't read the debug information that Swift writes.
    stripped = bench.folder / "understudy-stripped"
    subprocess.run(["strip", "--strip-debug", "-o", stripped, bench.program], check=True)
    data = bench.data()
    read = targets(bench.key)
    with understudy(bench.program, data) as server:
        answers = [server.ask("GET", path) for _, path, _ in read]
    command = [stripped, "serve", "--host", "127.0.0.1", "--port", "0", "--data", data, "--log-level", "warning",
               "--max-connections", CONNECTIONS]
    with under_callgrind(bench.folder / "callgrind", command) as server:
        counter = Counter(server, bench.folder / "callgrind")
        ours = [counter.instructions(path) for _, path, _ in read]
        counter.connection.close()
    for (name, path, _), count, answer in zip(read, ours, answers):
        folder = bench.folder / f"callgrind-{path.split('/')[2]}"
        command = bare_command(bench.tool("bare"), bench.folder, *answer)
        with under_callgrind(folder, command) as server:
            counter = Counter(server, folder)
            bare = counter.instructions(path)
            counter.connection.close()
        yield Row(section, f"GET {name}", grouped(count), grouped(bare), f"{bare / count:.2f}", value=bare / count,
                  runs={"ours": count, "bare": bare})
