"""Check certificates: python3 check.py [FILE ...], or derivation.json; exit code 0: all confirmed.

This program trusts nothing that it reads, and needs Python alone. Formulas are read by a grammar,
and become fractions of polynomials; they are equal when these are, multiplied out. A polynomial is
a dict: products of powers, as sorted pairs (name, exponent), to coefficients. Names are of numbers
above 0; up(x), down(x), nearest(x) and square roots are names of their own, and of a root, which
stands below no line, the square is known. What is printed is confirmed, under the equations in it.
Words (under "about") are for people and not checked. What is not known is refused."""
import json
import re
import sys
from fractions import Fraction
from math import floor

LENGTH, DEPTH, EXPONENT, BITS, WORK, FILE = 20_000, 150, 100, 8_000, 4_000_000, 2**23
WORD = re.compile(r"[0-9]+|[A-Za-z_][A-Za-z_0-9]*|\*\*|[-+*/()]")
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}
ROUND = {"up": lambda x: -floor(-x), "down": floor, "nearest": lambda x: floor(x + Fraction(1, 2))}
ARE = {"stated", "found by probing, not proved", "written down, nothing built"}
ONE = {(): 1}
STEP = {(("a small step", 1),): 1}, ONE
state = {}  # of the certificate that is being checked: work done, squares of roots, texts
class Refused(Exception):
    pass
def need(ok, what, kind="cannot be read"):
    if not ok:
        raise Refused(f"{kind}: {what}")
def want(ok, what): need(ok, what, "not confirmed")
def spend(amount):
    state["work"] += amount
    need(state["work"] <= WORK, "it takes too long to multiply out")
# --- fractions (over, under) of polynomials -------------------------------------------------------
def plus(a, b, k=1):
    spend(len(a) + len(b))
    return {key: c for key in {**a, **b} if (c := a.get(key, 0) + k * b.get(key, 0))}
def times(a, b):
    spend(10 * len(a) * len(b) + 1)
    out, roots = {}, state["squares"]
    for left, c in a.items():
        for right, d in b.items():
            powers = dict(left)
            for name, e in right:
                powers[name] = powers.get(name, 0) + e
            key = tuple(sorted((name, e) for name, e in powers.items() if e))
            n = out[key] = c * d + out.get(key, 0)
            need(max(len(key), *map(abs, powers.values()), 0) <= EXPONENT and max(
                n.numerator.bit_length(), n.denominator.bit_length()) <= BITS, "it grows too large")
    for key in [key for key in out if any(n in roots and e > 1 for n, e in key)] if roots else ():
        name = next(n for n, e in key if n in roots and e > 1)  # no root stays squared
        left = tuple((n, e - 2 * (n == name)) for n, e in key if (n, e) != (name, 2))
        out = plus(out, times({left: out.pop(key)}, roots[name]))
    return {key: c if c.denominator > 1 else c.numerator for key, c in out.items() if c}
def op(x, sign, y):  # x + y, x - y, x * y, x / y, x ** y; one term below the line goes above it
    if sign == "**":
        return power(x, number_of(y))
    y, k = y[::-1] if sign == "/" else y, -1 if sign == "-" else 1
    if x[1] == y[1] and (sign in "+-" or sign == "*" and x[1] == ONE):
        return times(x[0], y[0]) if sign == "*" else plus(x[0], y[0], k), x[1]
    over, under = times(x[0], y[0]) if sign in "*/" else plus(
        times(x[0], y[1]), times(y[0], x[1]), k), times(x[1], y[1])
    need(under, "something is divided by 0")
    need(not any(n in state["squares"] for key in under for n, _ in key), "a root below a line")
    (powers, c), *more = under.items()
    return (over, under) if more else (
        times(over, {tuple((name, -e) for name, e in powers): Fraction(1) / c}), ONE)
def same(x, y): return not op(x, "-", y)[0]
def const(number): return ({(): number} if number else {}), ONE
def number_of(x): return x[0].get((), 0) if x[1] == ONE and set(x[0]) <= {()} else None
def named(name):
    need(len(name) <= LENGTH, "a rounding or a root of something too long")
    return {((name, 1),): 1}
def power(x, e):
    if e == Fraction(1, 2):  # what is below the line is above 0, or it would turn the sign
        need(all(c > 0 and not any("(" in n for n, _ in key) for key, c in x[1].items()),
             "a root of a fraction")
        square = times(x[0], x[1])
        state["squares"][name := f"sqrt({sorted(square.items())})"] = square
        return named(name), x[1]
    need(e is not None and e.denominator == 1 and abs(e) <= EXPONENT, f"an exponent {e}")
    out = const(1)
    for _ in range(abs(int(e))):
        out = op(out, "*", x)
    return op(const(1), "/", out) if e < 0 else out
def formula(words, known, rank=1, depth=0):  # the next words, from the end, up to a lower rank
    need(words and depth < DEPTH, "a formula ends early, or is nested too deep")
    word = words.pop()
    if word == "-":
        x = op(const(0), "-", formula(words, known, 3, depth + 1))
    elif word == "(" or word in ROUND and words[-1:] == ["("] and words.pop():
        x = formula(words, known, 1, depth + 1)
        need(words and words.pop() == ")", "a bracket is not closed")
        if word != "(":
            x = const(ROUND[word](number_of(x))) if number_of(x) is not None else (
                named(f"{word}({[sorted(side.items()) for side in x]})"), ONE)
    else:
        need(word.isdigit() or NAME.fullmatch(word), f"{word!r} in a formula")
        x = const(int(word)) if word.isdigit() else known.get(word) or (named(word), ONE)
    while words and RANK.get(words[-1], 0) >= rank:
        sign = words.pop()
        x = op(x, sign, formula(words, known, RANK[sign] + (sign != "**"), depth + 1))
    return x
def read(text, known={}):  # names in known stand for formulas
    need(type(text) is str and len(text) <= LENGTH, "a formula is no text, or a very long one")
    if not known and text in state["read"]:
        return state["read"][text]
    words = WORD.findall(text)[::-1]
    need("".join(words[::-1]) == text.replace(" ", ""), f"a sign in {text[:60]!r}")
    spend(10 * len(words) + 10)
    x = formula(words, known)
    need(not words, f"{words[-1:]} is left over in {text[:60]!r}")
    return x if known else state["read"].setdefault(text, x)
# --- pieces of a certificate ----------------------------------------------------------------------
def fields(x, names):
    need(type(x) is dict and set(x) - {"about"} == set(names.split()), f"no object of {names}")
    return [x[name] for name in names.split()]
def items(x, kind=list): return need(type(x) is kind, f"{x!r:.60} is no {kind.__name__}") or x
def rows(x, names): return [fields(each, names) for each in items(x)]
def total(formulas, known={}):
    sums, out = {}, const(0)
    for x in (x if type(x) is tuple else read(x, known) for x in formulas):
        under = str(sorted(x[1].items()))  # what is under the same line is added first
        sums[under] = op(sums.get(under, const(0)), "+", x)
    for x in sums.values():
        out = op(out, "+", x)
    return out
def exact(x):
    found = number_of(read(str(x)))
    need(type(x) in (int, str) and found is not None, f"{x!r:.60} is no number")
    return const(found)
def numbers(dims): return {name: exact(n) for name, n in items(dims, dict).items()}
def replaced(equations, known={}):  # what names stand for; each may speak of those before it
    known, left = dict(known), [items(x, str).partition(" = ")[0] for x in equations]
    for text in equations:
        name, right = left[0], text.partition(" = ")[2]
        need(NAME.fullmatch(left.pop(0)) and not {name, *left} & {*NAME.findall(right)}
             and name not in left, f"{text[:60]!r} gives a name twice, or too late")
        known[name] = read(right, known)
    return known
def listed(line, terms, left=[]):  # shares by path, of terms [formula, shares] and what is left out
    shares = {}
    for text, own in map(items, items(terms) + items(left)):
        want(same(read(text), total(items(own, dict).values())), f"{text:.80} is not its shares")
        for path, share in own.items():
            shares[path] = f"{shares.get(path, '0')} + ({share})"
    want(same(read(line), total(text for text, _ in terms)), f"{line:.80} is not its terms")
    return shares
def agree(old, new, what, known={}):
    for path in {**old, **new}:
        want(same(read(old.get(path, "0"), known), read(new.get(path, "0"), known)),
             f"in {what:.80} the share of {path:.80} is another")
def entries(found, layers="1"):  # what each path adds: rows times columns times copies, or factors
    shares = {}
    for path, row in items(found, dict).items():
        of = row["factors"] if set(row) == {"factors"} else fields(row, "rows columns copies")
        need(all(map(read, [layers, *items(of)])), path)
        shares[path] = "*".join(f"({text})" for text in [layers, *of])
    return shares
def joined(one, two): return need(not one.keys() & two.keys(), "a name twice") or {**one, **two}
# --- the four kinds of certificate ----------------------------------------------------------------
def degrees(text, name):  # the powers of a name in a formula
    over, under = read(text)
    need(under == ONE and not any("(" in n for key in over for n, _ in key), "powers of a rounding")
    return {dict(key).get(name, 0) for key in over}
def derive(body):  # from the matrices to the formula, line by line, and to the number
    symbol, dims, parts, line, lines, leading, sizes, others, last, value, inside = fields(
        body, "symbol dims parts apart lines leading left conventions formula value inside")
    dims, whole, one, often, here, told = numbers(dims), {}, {}, [], value is not None, []
    for name, inner in items(inside, dict).items():
        told.append(derive(inner))
        want(inner["symbol"] == name and (not here or same(read(name, dims), exact(inner["value"]))
             and all(dims.get(k, n) == n for k, n in numbers(inner["dims"]).items())),
             f"the {name} inside")
    for name, stacks, text, terms in rows(parts, "symbol stacks line terms"):
        for layers, found in rows(stacks, "layers entries"):
            own, whole = entries(found), joined(whole, entries(found, layers))
            want(same(total(own.values()), total(one.setdefault(name, own).values())), name)
            often.append(op(read(layers), "*", read(name)))
        agree(one[name], listed(text, terms), text)
    want(whole and same(read(line), total(often)), f"{line:.80} is not the parts")
    need((here or not dims) and symbol not in NAME.findall(" ".join(whole.values())), "the symbol")
    shares, before, left, equations = whole, [], [], []
    for line, terms, more, given in rows(lines, "line terms left given"):
        before, left, used = left, more, [] if given is None else [given]
        equations, old, shares = used + equations, shares, listed(line, terms, left)
        agree(old, shares, line, replaced(used))
        for name, x in replaced(used, dims).items() if here else ():
            want(same(read(name, dims), x), f"whether {given} here")
        want(not here or same(total([line, *(x[0] for x in left)], dims), exact(value)), line)
    want(not here or same(total(whole.values(), dims), exact(value)), "the value")
    want(last == line and [x[0] for x in left] == [x for x, _ in map(items, items(sizes))], last)
    want(not here or all(same(read(x, dims), exact(n)) for x, n in sizes), "what is left out here")
    if leading is not None:
        high, low = degrees(line, leading), [degrees(x[0], leading) for x in left[len(before):]]
        want(left[:len(before)] == before and len(high) == 1 and not any(
            x and max(x) >= max(high) for x in low), f"the highest power of {leading}")
    known = replaced(equations)
    shares = {path: read(share, known) for path, share in whole.items()}
    names = {**known, **{name: total(own.values(), known) for name, own in one.items()},
             symbol: total(shares.values())}
    for name, text, counted, line, n in rows(others, "symbol formula counted written value"):
        own = total(op(read(x, known), "*", shares[y]) for y, x in items(counted, dict).items())
        want(same(read(text, names), own) and same(read(line, known), own), f"{name} = {text:.80}")
        want(not here or same(read(line, dims), exact(n)), f"the number {name}")
        names[name] = own
    return " + ".join([f"{symbol} = {last}", *(f"({x[0]})" for x in left)]) + "".join(
        f", given {x}" for x in equations) + (f", here {value}" if here else "") + "".join(
        f"; {x}" for x in told)
def diff(body):  # the second model's matrices less the first one's: by component, and as a whole
    dims, places, line, terms, numel = fields(body, "dims places line terms numel")
    dims, whole, sides, here = numbers(dims), {}, [{}, {}], numel is not None
    for pairs, text, own_terms, change in rows(places, "pairs line terms change"):
        own = {}
        for name, pair in items(pairs, dict).items():
            gone, new = (entries(x) for x in fields(pair, "before after"))
            sides = [joined(sides[0], gone), joined(sides[1], new)]
            own[name] = "+".join(["0", *new.values()]) + "".join(f"-{x}" for x in gone.values())
        agree(own, listed(text, own_terms), text)
        want(not here or same(read(text, dims), exact(change)), f"{text:.80} here")
        whole = joined(whole, own)
    agree(whole, listed(line, terms), line)
    for side, n in zip(sides, fields(numel, "before after") if here else ()):
        want(same(total(side.values(), dims), exact(n)), "a model's number")
    return f"{line} more"
def tangent(old, new, speed):  # new - old is a small step times a speed, but for its squares
    found = op(op(new, "-", old), "-", op(STEP, "*", read(speed)))
    over, under = ({dict(key).get("a small step", 0) for key in side} for side in found)
    want(min(over, default=2) > 1 and min(under) == 0, f"the derivative {speed:.80}")
def sensitivity(body):  # derivatives, by a small step of a name and what follows it; elasticities
    dims, measures = fields(body, "dims measures")
    dims = numbers(dims)
    for found, inside, text, value, changes in rows(measures, "entries inside formula value rows"):
        shares = entries(found).values()
        totals = {name: entries(own).values() for name, own in items(inside, dict).items()}
        want(same(read(text), total(shares)), f"the formula {text:.80}")
        def amount(known, shares=shares, totals=totals):
            return total(shares, {**known, **{x: total(own, known) for x, own in totals.items()}})
        want(value is None or same(amount(dims), exact(value)), "the value")
        for wrt, follows, slope, here, elasticity, relative in rows(
                changes, "wrt follows derivative here elasticity relative"):
            still, moved = {}, {wrt: op(read(wrt), "+", STEP)}
            need(wrt not in replaced([x["equation"] for x in follows]), f"{wrt} is given")
            for equation, speed in rows(follows, "equation slope"):
                name = equation.partition(" = ")[0]
                still, moved = replaced([equation], still), replaced([equation], moved)
                if speed is not None:
                    tangent(still.pop(name), moved[name], speed)
                    moved[name] = op(read(name), "+", op(STEP, "*", read(speed)))
            tangent(amount(still), amount(moved), slope)
            share = op(read(f"{wrt}*({slope})"), "/", amount(still))
            want(same(read(elasticity), share), f"the elasticity {elasticity}")
            for x, n in ((slope, here), (elasticity, relative)) if here is not None else ():
                want(same(read(x, dims), exact(n)), f"{x:.80} here")
    return "derivatives of " + " and ".join(x["formula"] for x in measures)
def solve(body):  # closed forms put back into the count, roots between bounds, configurations
    found, target, forms, configurations = fields(body, "entries target forms configurations")
    shares = entries(found).values()
    for name, equations, formulas, place, roots in rows(
            forms, "unknown equations formulas dims roots"):
        need(name not in replaced(equations) and "P" not in NAME.findall(" ".join(equations)),
             f"{name} or P is given")
        for text in items(formulas):
            known = replaced(equations, {name: read(text)})
            want(same(total(shares, known), read("P")), f"{name} = {text:.80}")
        for bounds in map(items, items(roots)):
            low, high = (number_of(op(total(shares, replaced(equations, {
                **numbers(place), name: exact(n)})), "-", exact(target))) for n in bounds)
            want(low * high < 0 or low == high == 0, f"a root of {name} between {bounds}")
    for place, n in rows(configurations, "dims numel"):
        want(same(total(shares, numbers(place)), exact(n)), f"the configuration with {n}")
    sizes = sorted(number_of(exact(x["numel"])) for x in configurations)
    return f"{len(sizes)} configurations" + (f" of {sizes[0]} to {sizes[-1]}" if sizes else "") + (
        f", asked {number_of(exact(target))}") + "".join(
        f", {x['unknown']} = {text} (given {'; '.join(x['equations']) or 'nothing'})"
        for x in forms for text in x["formulas"])
def certificate(text):
    def once(pairs):
        return joined({}, dict(pairs)) if len(dict(pairs)) == len(pairs) else need(0, "a key twice")
    state.update(work=0, squares={}, read={})
    need(len(text) <= FILE, "it is too large")
    version, kind, model, sources, body = fields(
        json.loads(text, object_pairs_hook=once), "certificate kind model rows body")
    kinds = {"derive": derive, "diff": diff, "sensitivity": sensitivity, "solve": solve}
    need(version == 1 and kind in kinds, f"version {version!r:.20} of {kind!r:.20}")
    found = {name: fields(source, "are")[0] for name, source in items(sources, dict).items()}
    need(found and {*found.values()} <= ARE, "where the rows are from")
    return f"{kind} of {json.dumps(items(model, str))}: {kinds[kind](body)}" + "".join(
        f"; rows of {json.dumps(name)}: {are}" for name, are in found.items() if are != "stated")
def main(paths):
    code = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                said = f"confirmed: {certificate(file.read(FILE + 1))}"
        except Exception as error:  # whatever a damaged file has in place of what is read
            said, code = f"{'' if type(error) is Refused else 'cannot be read: '}{error}", 1
        print(ascii(f"{path}: {said}")[1:-1])
    return code
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["derivation.json"]))
