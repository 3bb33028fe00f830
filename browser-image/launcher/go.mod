module podwright.dev/launcher

go 1.24
