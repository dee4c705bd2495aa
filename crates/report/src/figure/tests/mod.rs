//! Which charts each shape of a study gets, and the numbers in them.

mod fixture;
