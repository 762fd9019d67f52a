"""Reports from what the views counted: differences of snapshots, text in AWR's and tkprof's layout, 10046-style traces and their reader."""
