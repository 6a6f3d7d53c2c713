import sqlite3
import threading
import time


class Store:
    def __init__(self):
        self.db = sqlite3.connect(":memory:", check_same_thread=False)
        self.db.execute("create table item (name text, price integer)")

    def add(self, name, price):
        if price < 0:
            raise ValueError("price of %s is negative" % name)
        self.db.execute("insert into item values (?, ?)", (name, price))
        return price

    def total(self, *names, discount=0.5, **more):
        time.sleep(0.002)
        return sum(self.price(n) or 0 for n in names) * discount

    def price(self, name):
        r = self.db.execute("select price from item where name = ?", (name,)).fetchone()
        return r[0] if r else None

    @staticmethod
    def fib(n):
        return n if n < 2 else Store.fib(n - 1) + Store.fib(n - 2)

    @classmethod
    def make(cls):
        return cls()


def worker(n):
    return Store.fib(n)


def main():
    s = Store.make()
    s.add("a \"quoted\" \u00e9", 12)
    s.add("b", 3)
    try:
        s.add("c", -1)
    except ValueError:
        pass
    t = threading.Thread(target=worker, args=(5,))
    t.start()
    s.total("b", "zz", discount=0.25, extra={"k": [1, None, True]})
    t.join()
    return Store.fib(4)
