module podwright.dev/probe

go 1.24
