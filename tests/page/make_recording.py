"""make_recording - a recording from what `heddle run` writes as CSV, events and JSON.

usage: make_recording.py HEDDLE SCENARIO OUTPUT [OPTION...]

A second writer of the format, which shares no code with that of Heddle: so the page is compared
with the CSV files that it was made from, which stay in OUTPUT.d.
"""

import csv
import json
import os
import re
import struct
import subprocess
import sys
import zlib


def varint(out, value):
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def signed(out, value):
    varint(out, value << 1 if value >= 0 else (-value << 1) - 1)


def rows_of(path):
    with open(path) as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith('#')))


def nodes_of(result, kind):
    index = {n['name']: i for i, n in enumerate(result['nodes'])}
    nodes = [{'name': n['name'], 'type': 'switch' if n['kind'] == 'switch' else 'host', 'tier': None, 'group': None,
              'at': None, 'ports': [None] * n['ports']} for n in result['nodes']]
    for link in result['links']:
        for here, there in (('a', 'b'), ('b', 'a')):
            nodes[index[link[here]]]['ports'][link['port_' + here]] = {
                'peer': index[link[there]], 'peer_port': link['port_' + there], 'rate_bps': link['rate_bps'],
                'delay_ps': link['delay_ps']}
    for node in nodes:
        pod = re.match(r'p(\d+)([ea])\d+$', node['name'])
        group = re.match(r'g(\d+)s\d+$', node['name'])
        if node['type'] == 'host':
            node['tier'] = 0
        elif pod:
            node['tier'], node['group'] = 1 if pod[2] == 'e' else 2, int(pod[1])
        elif group:
            node['tier'], node['group'] = 1, int(group[1])
        elif kind == 'fat-tree':
            node['tier'] = 3
    return nodes, index


def main(heddle, scenario, output, options):
    folder = output + '.d'
    os.makedirs(folder, exist_ok=True)
    subprocess.run([heddle, 'run', scenario, '--quiet', '--csv', folder, '--events', folder + '/events.csv', '--json',
                    folder + '/result.json', *options], stderr=subprocess.DEVNULL)
    with open(folder + '/result.json') as text:
        result = json.load(text)
    topology = result['effective'].get('topology', {})
    nodes, index = nodes_of(result, topology.get('generate'))
    classes = list(dict.fromkeys([c['class'] for c in result['classes']] + [f['class'] for f in result['flows']]))

    def number(text):
        return int(text, 0) if re.match(r'-?(\d+|0x[0-9a-f]+)$', text or '') else 0

    samples = rows_of(folder + '/samples.csv')
    names = [name for name in (samples[0] if samples else {}) if name not in ('node', 'port', 'peer', 'at_ps')]
    values = {}
    for row in samples:
        for series, name in enumerate(names):
            values.setdefault(int(row['at_ps']), {})[(index[row['node']], series, int(row['port']), 0)] = number(row[name])
    times = sorted(values)

    kinds, events = [], []
    for row in rows_of(folder + '/events.csv'):
        if row['event'] not in kinds:
            kinds.append(row['event'])
        events.append((int(row['at_ps']), index[row['node']], kinds.index(row['event']), int(row['port'] or 0),
                       classes.index(row['class']) if row['class'] in classes else 0, number(row['detail']),
                       number(row['value']), index.get(row['source'], -1) + 1, index.get(row['destination'], -1) + 1))

    with open(output, 'wb') as out:
        out.write(b'heddle recording 1\n')
        blocks = []

        def block(kind, payload, begin=None, end=None):
            data = zlib.compress(payload)
            blocks.append({'kind': kind, 'offset': out.tell(), 'from_ps': begin, 'to_ps': end, 'bytes': len(data)})
            out.write(struct.pack('<I', len(data)) + kind.encode() + data)

        block('HEAD', json.dumps({
            'format': 1, 'version': result['version'], 'clock': result['clock'], 'kind': result['fabric'],
            'scenario': {'name': result['scenario'], 'about': result['effective'].get('about', ''), 'text': '',
                         'file': scenario, 'settings': result['settings'], 'variant': None, 'seed': result['seed'],
                         'digest': result['digest']},
            'sample_ps': times[1] - times[0] if len(times) > 1 else 0, 'measure': [0, result['duration_ps']],
            'topology': {**topology, 'type': topology.get('generate', 'given')}, 'classes': classes, 'lanes': 1, 'nodes': nodes,
            'series': [{'id': i, 'name': name, 'of': 'port', 'what': name, 'states': None,
                        'unit': name.rsplit('_', 1)[-1] if '_' in name else '',
                        'type': 'counter' if name == 'tx_bytes' else 'gauge'} for i, name in enumerate(names)],
            'events': [{'id': i, 'name': name, 'detail': '', 'value': '', 'has_class': True, 'what': name, 'words': None}
                       for i, name in enumerate(kinds)], 'marks': []}).encode())
        count = {}
        flows = []
        for flow in result['flows']:
            node = index[flow['src']]
            flows.append({'node': node, 'index': count.get(node, 0), 'destination': index[flow['dst']],
                          'class': classes.index(flow['class']), 'workload': flow['workload'],
                          'connection': (flow['transport'] or {}).get('connection', 0), 'path': None})
            count[node] = count.get(node, 0) + 1
        block('FLOW', json.dumps(flows).encode())

        slices = [times[i:i + 64] for i in range(0, len(times), 64)] or [[]]
        done = 0
        for n, moments in enumerate(slices):
            begin = moments[0] if n else 0
            end = slices[n + 1][0] if n + 1 < len(slices) else result['end_ps'] + 1
            data = bytearray()
            for value in (begin, end, len(moments)):
                varint(data, value)
            for before, at in zip([begin, *moments], moments):
                varint(data, at - before)
            changes = {}
            for sample, at in enumerate(moments):
                for key, value in values[at].items():
                    known = changes.setdefault(key, [])
                    if value != (known[-1][1] if known else 0):
                        known.append((sample, value))
            keys = sorted(key for key in changes if changes[key])
            varint(data, len(keys))
            for key in keys:
                for part in key:
                    varint(data, part)
                varint(data, len(changes[key]))
                for (sample, value), (last, former) in zip(changes[key], [(0, 0), *changes[key]]):
                    varint(data, sample - last)
                    signed(data, value - former)
            first = done
            while done < len(events) and events[done][0] < end:
                done += 1
            varint(data, done - first)
            at = begin
            for event in events[first:done]:
                varint(data, event[0] - at)
                at = event[0]
                for value in event[1:]:
                    varint(data, value)
            block('DATA', bytes(data), begin, end)
        with open(folder + '/result.json', 'rb') as text:
            block('RSLT', text.read())
        with open(folder + '/messages.csv', 'rb') as text:
            block('TABL', b'messages.csv\n' + text.read())
        block('XTRA', b'a kind that no reader knows')
        offset = out.tell()
        block('INDX', json.dumps(blocks).encode())
        out.write(struct.pack('<Q', offset) + b'heddle end\n')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
