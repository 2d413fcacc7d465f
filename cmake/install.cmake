# install and find_package(millrace): the command, the headers, the archives.
