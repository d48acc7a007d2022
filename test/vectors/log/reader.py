"""A second reader of the formats in docs/transparency_formats.md, which was written from that page alone.

It needs Python 3.11 and `cryptography` (Debian: python3-cryptography). `python3 reader.py FOLDER` reads the vectors of
the folder, prints how many it has read, and exits 1 if it disagrees with one. Rows that need ML-DSA-44 are left out.
`python3 reader.py FOLDER KEY...` verifies a copy of a log's files by these keys, all of which must have signed its
checkpoint, and prints its origin and size.
`python3 reader.py --export FILE POLICY` verifies an export, prints what is wrong with it, and exits 1 if anything is.
"""

import base64
import hashlib
import json
import pathlib
import re
import sys
import unicodedata

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

KEY_BYTES = {1: 32, 4: 32, 6: 1312}
SIGNATURE_BYTES = {1: 64, 4: 72, 6: 2428}
NUMBER_MAX = 2**53 - 1


class Malformed(Exception):
    """A text or file that has no meaning."""


def require(condition, what):
    if not condition:
        raise Malformed(what)


# Words


def sha256(data):
    return hashlib.sha256(data).digest()


def read_base64(text):
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError as error:
        raise Malformed("base64") from error
    require(base64.b64encode(data).decode() == text, "base64 in its one form")
    return data


def read_hash(text):
    data = read_base64(text)
    require(len(data) == 32, "32 bytes")
    return data


def read_number(text):
    require(re.fullmatch("0|[1-9][0-9]{0,15}", text, re.ASCII) and int(text) <= NUMBER_MAX, "a number")
    return int(text)


def read_text(data, bytes_max):
    require(len(data) <= bytes_max, "bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed("UTF-8") from error
    require(all(c >= " " or c == "\n" for c in text), "a control character")
    return text


def read_lines(text):
    lines = text.split("\n")
    require(lines.pop() == "", "the last line has no end")
    return lines


# The tree


def leaf_hash(entry):
    return sha256(b"\x00" + entry)


def node_hash(left, right):
    return sha256(b"\x01" + left + right)


def middle(start, end):
    k = 1
    while k * 2 < end - start:
        k *= 2
    return start + k


def root_of(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256(b"")
    k = middle(0, len(leaves))
    return node_hash(root_of(leaves[:k]), root_of(leaves[k:]))


def steps_down(size, is_end, is_left):
    steps, start, end = [], 0, size
    while not is_end(start, end):
        m = middle(start, end)
        if is_left(m):
            steps.insert(0, "right")
            end = m
        else:
            steps.insert(0, "left")
            start = m
    return steps, start


def includes(index, size, leaf, proof, root):
    if not 0 <= index < size:
        return False
    steps, _ = steps_down(size, lambda start, end: end - start == 1, lambda m: index < m)
    if len(steps) != len(proof):
        return False
    for step, other in zip(steps, proof):
        leaf = node_hash(other, leaf) if step == "left" else node_hash(leaf, other)
    return leaf == root


def continues(old_size, new_size, old_root, new_root, proof):
    if not 0 <= old_size <= new_size:
        return False
    if old_size == 0:
        return not proof and (new_size > 0 or new_root == sha256(b""))
    steps, start = steps_down(new_size, lambda _, end: end == old_size, lambda m: old_size <= m)
    hashes = ([old_root] if start == 0 else []) + proof
    if len(hashes) != len(steps) + 1:
        return False
    old = new = hashes[0]
    for step, other in zip(steps, hashes[1:]):
        if step == "left":
            old, new = node_hash(other, old), node_hash(other, new)
        else:
            new = node_hash(new, other)
    return old == old_root and new == new_root


# Keys, notes, checkpoints


def is_name(name):
    blanks = "\u0085\u2028\u2029"
    return name != "" and all(c >= " " and c != "+" and c not in blanks and unicodedata.category(c) != "Zs" for c in name)


class Key:
    def __init__(self, text):
        parts = text.split("+", 2)
        require(len(parts) == 3 and is_name(parts[0]), "name+id+key")
        data = read_base64(parts[2])
        require(data and KEY_BYTES.get(data[0]) == len(data) - 1, "a key of a known type")
        self.text, self.name, self.type, self.public = text, parts[0], data[0], data[1:]
        self.id = sha256(self.name.encode() + b"\n" + data)[:4]
        require(parts[1] == self.id.hex(), "the id")

    def verify(self, text, signature):
        """Whether it is a signature of the text, and its time in seconds or None."""
        if self.type == 6:
            raise NotImplementedError("ML-DSA-44")
        if len(signature) != SIGNATURE_BYTES[self.type]:
            return False, None
        time, message = 0, text.encode()
        if self.type == 4:
            time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
            try:
                read_checkpoint(text)
            except Malformed:
                return False, None
            if time > NUMBER_MAX:
                return False, None
            message = f"cosignature/v1\ntime {time}\n".encode() + message
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except InvalidSignature:
            return False, None
        return True, time or None


def read_note(data):
    """The text, and the signatures as (name, id, signature)."""
    text, found, rest = read_text(data, 262144).rpartition("\n\n")
    require(found, "an empty line")
    lines = read_lines(rest)
    require(1 <= len(lines) <= 64, "1 to 64 signatures")
    signatures = []
    for line in lines:
        parts = line.split(" ")
        require(len(parts) == 3 and parts[0] == "\u2014" and is_name(parts[1]), "a signature")
        signature = read_base64(parts[2])
        require(len(signature) >= 5, "five bytes")
        signatures.append((parts[1], signature[:4], signature[4:]))
    return text + "\n", signatures


def open_note(note, keys):
    """The times by the text of the key; None if the note is refused."""
    text, signatures = note
    by = {}
    for name, key_id, signature in signatures:
        known = [key for key in keys if (key.name, key.id) == (name, key_id)]
        if not known:
            continue
        is_right, time = known[0].verify(text, signature) if len(known) == 1 else (False, None)
        if not is_right:
            return None
        by.setdefault(known[0].text, time)
    return by or None


def read_checkpoint(text):
    lines = read_lines(text)
    require(len(lines) >= 3 and "" not in lines, "three lines")
    require(all(c >= " " for line in lines for c in line), "a control character")
    return {"origin": lines[0], "size": read_number(lines[1]), "root": read_hash(lines[2]), "extensions": lines[3:]}


# Files of a log


def read_path(path):
    match = re.fullmatch(r"tile/(entries|[0-9]+)/((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([0-9]+))?", path, re.ASCII)
    require(match and not match[2].startswith("x000/"), "a path")
    level = match[1] if match[1] == "entries" else read_number(match[1])
    width = 256 if match[3] is None else read_number(match[3])
    require(match[3] is None or 1 <= width <= 255, "a width")
    require(level == "entries" or level <= 63, "a level")
    index = int(re.sub("[x/]", "", match[2]))
    require(index <= NUMBER_MAX, "a number")
    return {"level": level, "index": index, "width": width}


def read_entries(data, width):
    entries = []
    while data:
        require(len(data) >= 2, "a length")
        length = int.from_bytes(data[:2], "big")
        require(len(data) >= 2 + length, "an entry")
        entries.append(data[2 : 2 + length])
        data = data[2 + length :]
    require(len(entries) == width, "as many entries as the tile is wide")
    return entries


def file_of(entries, tile):
    """The content of a file of the log with these entries."""
    start, end = tile["index"] * 256, tile["index"] * 256 + tile["width"]
    if tile["level"] == "entries":
        return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries[start:end])
    hashes = [leaf_hash(entry) for entry in entries]
    for _ in range(tile["level"]):
        hashes = [root_of(hashes[at : at + 256]) for at in range(0, len(hashes) - 255, 256)]
    require(end <= len(hashes), "a tile that is not there")
    return b"".join(hashes[start:end])


# Entries

FLAGS = {1: "late", 2: "taken up", 4: "operator"}


def uuid_of(data):
    text = data.hex()
    return "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]])


def read_entry(data):
    def take(count):
        nonlocal data
        require(len(data) >= count, "an entry that is cut")
        taken, data = data[:count], data[count:]
        return taken

    def number(size=6):
        return int.from_bytes(take(size), "big")

    def text(size, encoding):
        try:
            return take(number(size)).decode(encoding)
        except UnicodeDecodeError:
            raise Malformed("a text")

    def head():
        version, tag = number(), take(16)
        require(version > 0 or not any(tag), "a head without a version")
        return {"version": version, "tag": tag.hex()} if version > 0 else None

    require(number(1) == 1, "a version")
    flags = number(1)
    require(flags < 8, "flags")
    entry = {"flags": [name for bit, name in FLAGS.items() if flags & bit], "timeMs": number()}
    entry |= {"organization": uuid_of(take(16)), "number": number()}
    following = number()
    entry["before"] = following - 1 if following > 0 else None
    activity = {"activityId": uuid_of(take(16)), "version": number(4)}
    entry |= {"changeKey": take(16).hex(), "restsOn": head(), "makes": head()}
    digest = take(32)
    activity |= {"type": text(1, "ascii"), "status": text(1, "ascii"), "documentDigest": digest.hex()}
    nothing = {"activityId": uuid_of(bytes(16)), "version": 0, "type": "", "status": "", "documentDigest": bytes(32).hex()}
    require(activity["version"] > 0 or activity == nothing, "an activity without a version")
    entry["activity"] = activity if activity["version"] > 0 else None
    entry["document"] = text(2, "utf-8")
    require(len(entry["document"].encode()) <= 4096, "a document")
    require(not data, "bytes behind the end")
    return entry


# Proofs


def read_proof(data):
    head, found, note = read_text(data, 524288).partition("\n\n")
    require(found, "an empty line")
    lines = head.split("\n")
    require(lines.pop(0) == "c2sp.org/tlog-proof@v1", "the first line")
    if lines and lines[0].startswith("extra "):
        read_base64(lines.pop(0)[6:])
    require(lines and lines[0].startswith("index ") and len(lines) <= 64, "an index")
    return read_number(lines[0][6:]), [read_hash(line) for line in lines[1:]], read_note(note.encode())


def read_activity_proof(data):
    """The ids of the organization and the activity or None, the keys, and the entries, each with its proof."""
    if data.startswith(b"c2sp.org/tlog-proof@v1"):
        extra = re.match(r"[^\n]*\nextra ([^\n]*)\n", data.decode("utf-8", "replace"))
        require(extra, "the entry as extra bytes")
        return None, [], [(read_base64(extra[1]), read_proof(data))]
    try:
        file = json.loads(read_text(data, 4 * 524288))
    except ValueError as error:
        raise Malformed("JSON") from error
    require(isinstance(file, dict) and file.get("format") == "claviger activity proof v1", "the format")
    entries = [(read_base64(one["entry"]), read_proof(one["proof"].encode())) for one in file["entries"]]
    require(entries, "an entry")
    return (file["organizationId"], file["activityId"]), [Key(key) for key in file["keys"]], entries


def is_proven(activity, entry, proof, accept):
    index, hashes, note = proof
    try:
        found = read_entry(entry)
    except Malformed:
        return False
    if activity and (found["organization"], (found["activity"] or {"activityId": activity[1]})["activityId"]) != activity:
        return False
    checkpoint = accept(note)
    return bool(checkpoint) and includes(index, checkpoint["size"], leaf_hash(sha256(entry)), hashes, checkpoint["root"])


def by_policy(policy):
    return lambda note: (policy.accept(note) or [None])[0]


def by_keys(keys):
    """Accepts what one of these keys has signed, none wrongly, for its own log."""

    def accept(note):
        checkpoint = read_checkpoint(note[0])
        own = [key for key in keys if key.name == checkpoint["origin"]]
        return checkpoint if own and open_note(note, own) else None

    return accept


class Policy:
    def __init__(self, data):
        require(len(data) <= 524288, "bytes")
        require(all(b >= 32 and b != 127 or b in b"\t\n" for b in data), "a control character")
        self.logs, self.witnesses, self.groups, self.quorum, self.members = [], {}, {}, None, set()
        rows = [[item for item in re.split(rb"[ \t]+", line) if item] for line in data.split(b"\n")]
        rows = [row for row in rows if row and not row[0].startswith(b"#")]
        require(len(rows) <= 512, "lines")
        for word, *items in rows:
            require(word in (b"log", b"witness", b"group", b"quorum"), "a word")
            getattr(self, "read_" + word.decode())(*items) if items else require(False, "items")

    def key(self, data, others):
        key = Key(read_text(data, 524288))
        require(all(other.public != key.public for other in others), "a key twice")
        return key

    def new_name(self, name):
        require(name != b"none" and name not in self.witnesses and name not in self.groups, "a new name")
        return name

    def read_log(self, key, *url):
        require(len(url) <= 1, "items")
        self.logs.append(self.key(key, self.logs))

    def read_witness(self, name, *items):
        require(1 <= len(items) <= 2, "items")
        key = self.key(items[0], self.witnesses.values())
        require(key.type in (4, 6), "a key for cosignatures")
        self.witnesses[self.new_name(name)] = key

    def read_group(self, name, *items):
        require(len(items) >= 2, "members")
        members = items[1:]
        words = {b"any": 1, b"all": len(members)}
        threshold = words[items[0]] if items[0] in words else read_number(items[0].decode("latin-1"))
        require(1 <= threshold <= len(members), "a threshold")
        for member in members:
            require(member in self.witnesses or member in self.groups, "a defined name")
            require(member not in self.members, "a member once")
            self.members.add(member)
        self.groups[self.new_name(name)] = (threshold, members)

    def read_quorum(self, name, *others):
        require(self.quorum is None and not others, "one quorum")
        require(name == b"none" or name in self.witnesses or name in self.groups, "a defined name")
        self.quorum = name

    def is_quorum(self, names):
        seen = set(names) | {b"none"}
        for name, (threshold, members) in self.groups.items():
            if sum(member in seen for member in members) >= threshold:
                seen.add(name)
        return self.quorum in seen

    def accept(self, note):
        """The checkpoint, and the times by the name of the witness; None if it is refused."""
        try:
            checkpoint = read_checkpoint(note[0])
        except Malformed:
            return None
        logs = [key for key in self.logs if key.name == checkpoint["origin"]]
        known = {key.text: key for key in [*logs, *self.witnesses.values()]}
        by = open_note(note, list(known.values())) if logs else None
        if by is None or not any(key.text in by for key in logs):
            return None
        witnesses = {name: by[key.text] for name, key in self.witnesses.items() if key.text in by}
        return (checkpoint, witnesses) if self.is_quorum(witnesses) else None


def read_policy(data):
    policy = Policy(data)
    require(policy.quorum is not None, "a quorum")
    return policy


# Witnesses


def answer(body, origin, key, latest_size, latest_root):
    try:
        head, found, rest = read_text(body, 266240).partition("\n\n")
        lines = head.split("\n")
        require(found and lines[0].startswith("old ") and len(lines) <= 64, "an old size")
        old, proof = read_number(lines[0][4:]), [read_hash(line) for line in lines[1:]]
        note = read_note(rest.encode())
        checkpoint = read_checkpoint(note[0])
    except Malformed:
        return {"status": 400}
    if checkpoint["origin"] != origin:
        return {"status": 404}
    if open_note(note, [key]) is None:
        return {"status": 403}
    if old > checkpoint["size"]:
        return {"status": 400}
    if old != latest_size:
        return {"status": 409, "size": latest_size}
    is_right = continues(old, checkpoint["size"], latest_root, checkpoint["root"], proof)
    return {"status": 200 if is_right else 422}


# Exports


def bundle_root(bundle, size):
    """The root over the entries that are shown and the hashes in the place of the others."""
    width = min(256, size - bundle["from"])
    places = [index - bundle["from"] for index in bundle["indexes"]]
    require(places == sorted(set(places)) and all(0 <= place < width for place in places), "indexes in order")
    require(len(bundle["entries"]) == len(places), "an entry for each index")
    leaves = [leaf_hash(sha256(read_base64(entry))) for entry in bundle["entries"]]
    hashes = [read_hash(text) for text in bundle["hashes"]]
    joined, at = [], 0
    while at < width:
        if places and places[0] == at:
            places.pop(0)
            w, node = 1, leaves.pop(0)
        else:
            end, w = places[0] if places else width, 1
            while at % (2 * w) == 0 and at + 2 * w <= end:
                w *= 2
            require(hashes, "a hash")
            node = hashes.pop(0)
        at += w
        while joined and joined[-1][0] == w:
            w, node = 2 * w, node_hash(joined.pop()[1], node)
        joined.append((w, node))
    require(not hashes and not leaves, "all hashes are used")
    node = joined.pop()[1]
    while joined:
        node = node_hash(joined.pop()[1], node)
    return node


def verify_export(data, policy):
    """The entries of the export and the faults in it. Keys of ML-DSA-44, which Debian's library lacks, are left out."""
    policy.logs = [key for key in policy.logs if key.type != 6]
    policy.witnesses = {name: key for name, key in policy.witnesses.items() if key.type != 6}
    lines = read_lines(data.decode("utf-8"))
    values = [json.loads(line) for line in lines]
    for line, value in zip(lines, values):
        require(json.dumps(value, ensure_ascii=False, separators=(",", ":")) == line, "JSON in its one form")
    require(len(values) >= 2 and list(values[-1]) == ["end"], "the end of the file")
    header, bundles, end = values[0], values[1:-1], values[-1]["end"]
    require(header["format"] == "claviger log export v1", "the format")
    organization = header["organizationId"]
    require(1 <= len(header["logs"]) <= 1000, "the number of logs")
    faults, checkpoints, entries, last = [], [], [], {}
    for log in header["logs"]:
        note = read_note(log["checkpoint"].encode())
        checkpoint = read_checkpoint(note[0])
        checkpoints.append(checkpoint)
        keys = [Key(key) for key in log["keys"]]
        known = [key for key in keys if key.type != 6]
        signed = open_note(note, known) or {}
        if any(key.name != checkpoint["origin"] for key in keys) or len(signed) < len(known) or not policy.accept(note):
            faults.append(f"{checkpoint['origin']}: the checkpoint is refused")
    origins = [checkpoint["origin"] for checkpoint in checkpoints]
    if len(set(origins)) < len(origins):
        faults.append("a log is there twice")
    for key in policy.logs:
        if key.name not in origins and key.name.rpartition("/")[0] in {origin.rpartition("/")[0] for origin in origins}:
            faults.append(f"{key.name}: the policy names this log, and the file has nothing of it")
    offsets, at = [], len(lines[0].encode()) + 1
    order = (-1, -1)
    undocumented = []
    for line, bundle in zip(lines[1:], bundles):
        if list(bundle) == ["log", "index", "document", "content"]:
            at += len(line.encode()) + 1
            origin, index = checkpoints[bundle["log"]]["origin"], bundle["index"]
            while undocumented and undocumented[0][1] != index:
                faults += missing_document(*undocumented.pop(0))
            if not undocumented or not is_document(undocumented.pop(0)[2]["activity"], bundle["document"], bundle["content"]):
                faults.append(f"{origin} {index}: the document is not that of the entry")
            continue
        require(list(bundle) == ["log", "from", "indexes", "entries", "hashes", "proof"], "a bundle")
        while len(offsets) <= bundle["log"]:
            offsets.append(at)
        at += len(line.encode()) + 1
        checkpoint = checkpoints[bundle["log"]]
        origin, start = checkpoint["origin"], bundle["from"]
        if order >= (bundle["log"], start):
            faults.append(f"{origin} {start}: the bundles are not in order")
        order = (bundle["log"], start)
        for row in undocumented:
            faults += missing_document(*row)
        undocumented = []
        proof = [read_hash(text) for text in bundle["proof"]]
        count = -(-checkpoint["size"] // 256)
        if start % 256 or not 0 <= start < checkpoint["size"] or not includes(start // 256, count, bundle_root(bundle, checkpoint["size"]), proof, checkpoint["root"]):
            faults.append(f"{origin} {start}: the bundle is not in the tree")
        for index, text in zip(bundle["indexes"], bundle["entries"]):
            entry = read_entry(read_base64(text))
            if entry["organization"] != organization:
                faults.append(f"{origin} {index}: an entry of another organization")
                continue
            number, before = last.get(origin, (0, None))
            if (entry["number"], entry["before"]) != (number + 1, before):
                faults.append(f"{origin} {index}: entry {entry['number']} does not follow entry {number}")
            last[origin] = (entry["number"], index)
            entries.append((origin, index, entry))
            undocumented.append((origin, index, entry))
    for row in undocumented:
        faults += missing_document(*row)
    if end != {"starts": offsets + [at] * (len(origins) - len(offsets)), "entries": len(entries)}:
        faults.append("the end of the file is wrong")
    if not entries:
        faults.append("the file has no entry of the organization")
    return entries, faults + head_faults(entries, origins)


def missing_document(origin, index, entry):
    return [f"{origin} {index}: the document is missing"] if entry["activity"] and entry["makes"] else []


def is_document(activity, text, content):
    if activity is None or hashlib.sha256(text.encode()).hexdigest() != activity["documentDigest"]:
        return False
    document = json.loads(text)
    if (document["activityId"], document["version"]) != (activity["activityId"], activity["version"]):
        return False
    return content is None or hashlib.sha256(content.encode()).hexdigest() == document.get("contentDigest")


def merged(entries, origins):
    """The entries of all logs in the order of the heads, those of each log in its own."""
    logs = [[row for row in entries if row[0] == origin] for origin in dict.fromkeys(origins)]

    def order(log):
        entry = log[0][2]
        made, basis = entry["makes"], entry["restsOn"]
        return made["version"] if made else (basis["version"] if basis else 0) + 0.5, entry["timeMs"]

    while logs := [log for log in logs if log]:
        yield min(logs, key=order).pop(0)


def head_faults(entries, origins):
    faults, heads, newest, first = [], {}, None, None
    latest = max((entry["timeMs"] for _, _, entry in entries), default=0)
    last_made = {origin: entry["makes"]["version"] for origin, _, entry in entries if entry["makes"]}
    missing = []
    for origin, index, entry in merged(entries, origins):
        made, basis, at = entry["makes"], entry["restsOn"], f"{origin} {index}"
        if made and "taken up" in entry["flags"]:
            basis = {"version": made["version"] - 1, "tag": newest["tag"] if newest else None}
        if made and newest and made["version"] <= newest["version"]:
            faults.append(f"{at}: head {made['version']} is made twice")
            continue
        if not made and not basis:
            if entry["activity"] and "late" not in entry["flags"]:
                faults.append(f"{at}: rests on nothing, makes no head and is not late")
            continue
        what = f"head {made['version']} rests" if made else "rests"
        if made and made["version"] != (basis["version"] if basis else 0) + 1:
            faults.append(f"{at}: head {made['version']} does not follow the one before")
        if newest is None:
            first, newest = basis["version"] if basis else 1, basis
            heads |= {basis["version"]: basis["tag"]} if basis else {}
        elif not basis:
            faults.append(f"{at}: head {made['version']} rests on nothing")
        elif basis["version"] > newest["version"]:
            missing.append((origin, entry, basis, f"{at}: {what} on head {basis['version']}, which no entry makes"))
        elif basis["version"] < first or heads.get(basis["version"]) not in (None, basis["tag"]) or made and basis != newest:
            faults.append(f"{at}: {what} on head {basis['version']}, which no entry makes")
        if made:
            heads[made["version"]], newest = made["tag"], made
    for origin, entry, basis, what in missing:
        # Another log may show the head later.
        may_come = any(other != origin and last_made.get(other, 0) < basis["version"] for other in origins)
        if entry["timeMs"] < latest - 10_000 or basis["version"] < newest["version"] and not may_come:
            faults.append(what)
    return faults


def main_export(file, policy):
    try:
        entries, faults = verify_export(pathlib.Path(file).read_bytes(), read_policy(pathlib.Path(policy).read_bytes()))
    except (Malformed, ValueError, KeyError, TypeError, IndexError) as error:
        entries, faults = [], [f"malformed: {error!r}"]
    for fault in faults:
        print(fault)
    print(f"{len(entries)} entries, {len(faults)} faults")
    return 1 if faults else 0


# The vectors


def or_none(read, *arguments):
    try:
        return read(*arguments)
    except Malformed:
        return None


def entry_at(index):
    return sha256(f"entry {index}".encode())


def tree(vectors):
    leaves, roots = [[bytes.fromhex(one) for one in vectors[name]] for name in ("leaves", "roots")]
    yield leaves == [leaf_hash(entry_at(index)) for index in range(len(leaves))]
    yield roots == [root_of(leaves[:size]) for size in range(len(leaves) + 1)]
    for row in vectors["inclusion"]:
        proof = [bytes.fromhex(one) for one in row["proof"]]
        yield includes(row["index"], row["size"], leaves[row["index"]], proof, roots[row["size"]]) == row["isRight"]
    for row in vectors["consistency"]:
        proof = [bytes.fromhex(one) for one in row["proof"]]
        yield continues(row["from"], row["to"], roots[row["from"]], roots[row["to"]], proof) == row["isRight"]


def keys(vectors):
    for row in vectors["keys"]:
        key = or_none(Key, row["text"])
        found = [key.name, key.type, key.id.hex(), key.public.hex()] if key else [None] * 4
        yield found == [row["name"], row["type"], row["id"], row["publicKey"]]


def notes(vectors):
    for row in vectors["notes"]:
        if row["mlDsa"]:
            continue
        note = or_none(read_note, row["note"].encode())
        by = open_note(note, [Key(key) for key in row["keys"]]) if note else None
        result = "malformed" if note is None else "refused" if by is None else "signed"
        yield result == row["result"] and (by or {}) == {one["key"]: one["timeS"] for one in row["by"]}


def published(vectors):
    for row in vectors["notes"]:
        pairs = [(Key(key), time) for key, time in zip(row["keys"], row["timesS"])]
        known = {key.text: (key, time) for key, time in pairs if key.type != 6}
        by = open_note(read_note(row["note"].encode()), [key for key, _ in known.values()])
        yield (by or {}) == {text: time for text, (_, time) in known.items()}


def checkpoints(vectors):
    for row in vectors["checkpoints"]:
        found = or_none(read_checkpoint, row["text"])
        yield (found and {**found, "root": found["root"].hex()}) == row["checkpoint"]


def tiles(vectors):
    for row in vectors["paths"]:
        yield or_none(read_path, row["path"]) == row["tile"]
    for row in vectors["bundles"]:
        found = or_none(read_entries, bytes.fromhex(row["hex"]), row["width"])
        yield [entry.hex() for entry in found or []] == row["entries"]
    for log in vectors["logs"]:
        entries = [entry_at(index) for index in range(log["size"])]
        yield root_of([leaf_hash(entry) for entry in entries]).hex() == log["root"]
        for row in log["files"]:
            content = file_of(entries, read_path(row["path"]))
            yield len(content) == row["bytes"] and sha256(content).hex() == row["sha256"]


def entries(vectors):
    for row in vectors["entries"]:
        data = bytes.fromhex(row["hex"])
        yield or_none(read_entry, data) == row["entry"] and sha256(data).hex() == row["hash"]


def policies(vectors):
    for row in vectors["policies"]:
        policy = or_none(read_policy, row["policy"].encode())
        quorums = [policy.is_quorum([name.encode() for name in one["witnesses"]]) for one in row["quorums"] or []] if policy else None
        yield quorums == (row["quorums"] and [one["isQuorum"] for one in row["quorums"]])


def proofs(vectors):
    for row in vectors["proofs"]:
        if row["mlDsa"]:
            continue
        proof = or_none(read_proof, row["proof"].encode())
        result, witnesses = "malformed", {}
        if proof is not None:
            index, hashes, note = proof
            accepted = read_policy(row["policy"].encode()).accept(note)
            leaf = leaf_hash(bytes.fromhex(row["entry"]))
            result = "refused"
            if accepted and includes(index, accepted[0]["size"], leaf, hashes, accepted[0]["root"]):
                result, witnesses = "accepted", {name.decode(): time for name, time in accepted[1].items()}
        yield (result, witnesses) == (row["result"], row["witnesses"])


def activities(vectors):
    for row in vectors["activities"]:
        results = None
        proof = or_none(read_activity_proof, row["file"].encode())
        if proof is not None:
            activity, keys, found = proof
            accept = by_keys(keys) if row["policy"] is None else by_policy(read_policy(row["policy"].encode()))
            results = ["proven" if is_proven(activity, *one, accept) else "refused" for one in found]
        yield results == row["results"]


def witness(vectors):
    key = Key(vectors["key"])
    for row in vectors["requests"]:
        latest = row["latest"]
        found = answer(row["request"].encode(), vectors["origin"], key, latest["size"], bytes.fromhex(latest["root"]))
        yield found == row["answer"]


def copied_log(folder, keys):
    """Reads the files of a log: the checkpoint, and whatever tiles of it are there. Bundles must all be there."""
    note = read_note((folder / "checkpoint").read_bytes())
    by = open_note(note, keys)
    require(by and len(by) == len(keys), "the signature of each key")
    checkpoint = read_checkpoint(note[0])
    paths = [path for path in folder.glob("tile/**/*") if path.is_file()]
    tiles = {path: read_path(path.relative_to(folder).as_posix()) for path in paths}
    entries = []
    for path, tile in sorted(tiles.items(), key=lambda item: item[1]["index"]):
        if tile["level"] == "entries":
            require(tile["index"] * 256 == len(entries), "the bundle before")
            entries += read_entries(path.read_bytes(), tile["width"])
    require(len(entries) == checkpoint["size"], "all entries")
    require(root_of([leaf_hash(entry) for entry in entries]) == checkpoint["root"], "the root")
    for path, tile in tiles.items():
        require(path.read_bytes() == file_of(entries, tile), f"the content of {path}")
    return checkpoint


def read_copy(folder, keys):
    try:
        checkpoint = copied_log(pathlib.Path(folder), [Key(key) for key in keys])
    except Malformed as error:
        print(f"wrong: {error}")
        return 1
    print(checkpoint["origin"], checkpoint["size"])
    return 0


def main(folder):
    wrong = 0
    for check in (tree, keys, notes, published, checkpoints, tiles, entries, policies, proofs, activities, witness):
        vectors = json.loads(pathlib.Path(folder, f"{check.__name__}.json").read_text("utf-8"))
        results = list(check(vectors))
        wrong += results.count(False)
        print(f"{check.__name__}: {results.count(True)} agree, {results.count(False)} do not")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "--export":
        sys.exit(main_export(*sys.argv[2:]))
    sys.exit(read_copy(sys.argv[1], sys.argv[2:]) if len(sys.argv) > 2 else main(sys.argv[1]))
