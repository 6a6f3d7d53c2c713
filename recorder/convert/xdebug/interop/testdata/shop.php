<?php
namespace Shop;

class Item {
    public string $name; protected int $price; private $tags = [];
    function __construct(string $name, int $price) { $this->name = $name; $this->price = $price; }
    function price(): int { return $this->price; }
    static function make($n, $p) { return new self($n, $p); }
    function __toString() { return $this->name; }
}

function total(array $items, float $discount = 0.25, ...$rest) {
    $sum = 0;
    foreach ($items as $i) { $sum += $i->price(); }
    return $sum * (1 - $discount);
}

function fails($x) { throw new \RuntimeException("no 'x'\n$x"); }
function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
function gen($n) { for ($i = 0; $i < $n; $i++) yield $i => $i * 2; }
function nothing() {}

$a = [Item::make("it's \"quoted\" \\ \u{e9}\ttab", 12), Item::make("b", -3)];
echo total($a, 0.5, null, true, "x"), "\n";
try { fails(INF); } catch (\Exception $e) { }
fib(3);
foreach (gen(2) as $k => $v) { nothing(); }
$f = function ($q) { return strtoupper($q); };
echo $f("abc"), strlen(str_repeat("long text ", 200)), "\n";
array_map(fn($x) => $x * 1.5, [1, 2.0, 'k' => [3 => null]] === [] ? [] : [1, 2]);
eval('function ev($a) { return $a; } ev(1e100);');
include __DIR__ . '/inc.php';
exit(0);
