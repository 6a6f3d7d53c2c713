<?php return inc_fn(fopen("php://memory","r")); function inc_fn($r) { return [1,"a\nb"]; }
