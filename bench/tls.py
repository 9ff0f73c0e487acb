"""TLS: what the same server answers over it beside plain HTTP, and how many new connections it takes."""
from measure import in_turn, rate, ratio
from reads import targets
from report import compared, of_runs
from servers import understudy

# How much of plain HTTP's rate is to be reached where the connection stays.
BOUND = ("≥", 0.5)
PARK = "/invasive/parks/13"


def tls(bench):
    """HTTPS beside plain HTTP, in turn on one server, with a certificate of the server's own authority."""
    with understudy(bench.program, bench.data(), "--https", "0") as server:
        for name, path in [target[:2] for target in targets(bench.key)] + [("one park", PARK)]:
            yield beside_plain(
                bench, server, "Over TLS, 64 connections that stay (its rate ÷ plain HTTP's)", f"GET {name}", path, BOUND)
        # No session is taken up again: the server hands out no tickets.
        yield beside_plain(
            bench, server, "A new connection for each request, 64 at a time (with TLS's handshake ÷ without)",
            "GET one park", PARK, keeps_alive=False)


def beside_plain(bench, server, section, name, path, bound=None, **how):
    runs = in_turn(bench.pairs, lambda: bench.load(server, path, over_tls=True, **how),
                   lambda: bench.load(server, path, **how))
    return compared(section, name, ratio(*runs, rate), bound, ours=of_runs(runs[0]), other=of_runs(runs[1]),
                    runs=bench.raw(tls=runs[0], plain=runs[1]))
