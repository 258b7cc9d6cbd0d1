"""Forty beginnings of many kinds, to be continued as they stand."""

from __future__ import annotations

from typing import Final

PROMPTS: Final = (
    # code
    "def quicksort(items):\n    if len(items) <= 1:\n        return items\n",
    "import csv\n\ndef read_rows(path):\n    with open(path, newline='') as file:\n",
    "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, item):\n",
    "function fibonacci(n) {\n  if (n < 2) {\n    return n;\n  }\n",
    '#include <stdio.h>\n\nint main(void) {\n    for (int i = 0; i < 10; i++) {\n        printf("%d\\n",',
    "SELECT customers.name, COUNT(orders.id)\nFROM customers\nLEFT JOIN orders ON",
    "#!/bin/sh\nset -e\nfor file in *.txt; do\n",
    "<html>\n<head>\n  <title>My page</title>\n</head>\n<body>\n  <h1>",
    'package main\n\nimport "fmt"\n\nfunc main() {\n\tnumbers := []int{1, 2, 3}\n\tfor _, n := range numbers {\n',
    "body {\n  margin: 0;\n  font-family: sans-serif;\n}\n\n.button {\n",
    # data
    '{"users": [{"id": 1, "name": "Ada", "tags": ["admin", "staff"]}, {"id": 2, "name":',
    "name,age,city\nAlice,34,Paris\nBob,27,Berlin\nCarol,",
    "[server]\nhost = localhost\nport = 8080\n\n[database]\n",
    "- name: Install packages\n  apt:\n    name:\n      - git\n      - curl\n- name:",
    "2024-03-01 12:00:01 INFO  server started\n2024-03-01 12:00:05 WARN  slow query: 1.2 s\n2024-03-01 12:00:09",
    "| Country | Capital |\n|---|---|\n| France | Paris |\n| Italy |",
    # prose and questions
    "The lighthouse keeper had not spoken to anyone for a month when",
    "Once upon a time, in a village between two rivers, there lived a",
    "Dear Ms. Carter,\n\nThank you for your letter of 3 May. I am writing to",
    "The three most important inventions of the nineteenth century were",
    "Question: Why is the sky blue?\nAnswer:",
    "Question: What is the difference between a virus and a bacterium?\nAnswer:",
    "How to make pancakes:\n1. Mix the flour, the eggs and the milk.\n2.",
    "In this paper we study the growth of forests at high altitude. Our main result is that",
    "To be, or not to be, that is the question:",
    "The recipe calls for two cups of flour, one cup of sugar,",
    "Good morning! How can I help you today?\nI would like to book a table for",
    "The capital of Australia is Canberra. The capital of Canada is",
    # reasoning and repetition
    "2 + 2 = 4\n3 + 5 = 8\n7 + 6 = 13\n9 + 8 =",
    "If all cats are animals and some animals are black, then",
    "A train leaves at 9:00 and travels at 60 km/h. After two hours it has travelled",
    "one two three four five six seven eight nine ten one two three four",
    "A, B, C, D, E, F, G,",
    # other languages and scripts
    "北京是中国的首都，也是",
    "从前有一座山，山上有一座庙，庙里有一个",
    "春天来了，花园里的",
    "El perro corre por el parque y",
    "Die Hauptstadt von Deutschland ist",
    # emoji
    "My mood today in emoji: 😀😀🎉 and tomorrow:",
    "🍎 apple\n🍌 banana\n🍇",
)
