//! Draws the folded stacks on standard input as a flame graph, on standard output.

use std::io::{stdin, stdout, BufReader, Error};

use inferno::flamegraph::{from_reader, Options};

fn main() -> Result<(), Error> {
    let mut options = Options::default();
    options.count_name = "ns".to_string();
    from_reader(&mut options, BufReader::new(stdin()), stdout()).map_err(Error::other)
}
