#!/usr/bin/env python3
"""dashboard_queries - the queries of a Grafana dashboard, one a line, as Prometheus takes them.

usage: dashboard_queries.py DASHBOARD FABRIC            prints the queries
       dashboard_queries.py DASHBOARD FABRIC METRICS    is there data in METRICS (text of /metrics)
                                                        for each? prints those that have none

Variables are replaced: $fabric, $node (all), the interval.
"""
import json
import re
import sys

dashboard, fabric = sys.argv[1:3]
variables = {'$fabric': fabric, '$node': '.*', '$__rate_interval': '30s'}


def replaced(query):
    for name, value in variables.items():
        query = query.replace(name, value)
    return query


with open(dashboard, encoding='utf-8') as file:
    board = json.load(file)
queries = [replaced(target['expr']) for panel in board['panels'] for target in panel.get('targets', [])]
queries += [re.sub(r'label_values\((.*), *(\w+)\)', r'count by (\2) (\1)', replaced(v['query']['query']))
            for v in board['templating']['list'] if v['type'] == 'query']
assert queries and not any('$' in query for query in queries), 'a variable that is not known'

if len(sys.argv) == 3:
    print('\n'.join(queries))
    sys.exit()

series = []     # name, labels
with open(sys.argv[3], encoding='utf-8') as file:
    for line in file:
        sample = re.match(r'(\w+)\{(.*)\} ', line)
        if sample:
            series.append((sample[1], dict(re.findall(r'(\w+)="([^"]*)"', sample[2]))))
missing = 0
for query in queries:
    for name, matchers in re.findall(r'(heddle_\w+)(?:\{([^}]*)\})?', query):
        wanted = re.findall(r'(\w+)(=~?)"([^"]*)"', matchers)
        if not any(name == n and all(label in labels and (labels[label] == value if sign == '=' else
                                                          re.fullmatch(value, labels[label]))
                                     for label, sign, value in wanted)
                   for n, labels in series):
            print(f'no data for {name}: {query}')
            missing += 1
sys.exit(missing > 0)
