/*  parameter_end - the end of each .def file: its macros are for one inclusion (parameter.h). */
#undef PARAMETER
#undef PARAMETERS
#undef PARAMETER_ARRAY
#undef KEY
